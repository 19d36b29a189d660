// What this client calls itself: in the ApiVersions request (WP-06) and among its metrics (app-info, PR-26).
#ifndef CORE_VERSION_H_
#define CORE_VERSION_H_

namespace ktrial {

inline constexpr char kSoftwareName[] = "ktrial";
inline constexpr char kSoftwareVersion[] = "0.1";

// The commit that this was built from, if the build was told: --copt=-DKTRIAL_COMMIT_ID='"$(git rev-parse HEAD)"'. Asking git by
// itself would make every build differ from the one before.
#ifdef KTRIAL_COMMIT_ID
inline constexpr char kCommitId[] = KTRIAL_COMMIT_ID;
#else
inline constexpr char kCommitId[] = "unknown";
#endif

}  // namespace ktrial

#endif  // CORE_VERSION_H_
