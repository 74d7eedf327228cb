"""The one query of the probe. A test holds it against GitHub's published schema."""

from typing import Final

_STATE: Final = "mergeStateStatus"
_WITH_PAGES: Final = """
query Probe(
  $owner: String!, $name: String!, $number: Int!
  $checks: String, $suites: String, $threads: String, $reviews: String, $opinions: String, $rules: String
) {
  rateLimit { cost remaining }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      number title url state isDraft createdAt updatedAt isCrossRepository
      author { login }
      headRefOid headRefName baseRefName
      baseRef {
        target { oid }
        refUpdateRule {
          requiredStatusCheckContexts requiredApprovingReviewCount requiresConversationResolution requiresSignatures
        }
        branchProtectionRule {
          requiresStrictStatusChecks dismissesStaleReviews requireLastPushApproval lockBranch requiresDeployments
          requiredStatusChecks { context app { databaseId } }
        }
        rules(first: 50, after: $rules) {
          pageInfo { hasNextPage endCursor }
          nodes {
            type
            parameters {
              ... on RequiredStatusChecksParameters {
                strictRequiredStatusChecksPolicy requiredStatusChecks { context integrationId }
              }
              ... on PullRequestParameters {
                requiredApprovingReviewCount dismissStaleReviewsOnPush requireLastPushApproval
                requiredReviewThreadResolution
              }
            }
          }
        }
      }
      mergeable MERGE_STATE
      potentialMergeCommit { parents(first: 2) { nodes { oid } } }
      isInMergeQueue isMergeQueueEnabled
      mergeQueueEntry { state position enqueuedAt enqueuer { login } }
      autoMergeRequest { enabledAt enabledBy { login } }
      rollup: statusCheckRollup {
        contexts(first: 100, after: $checks) {
          pageInfo { hasNextPage endCursor }
          nodes {
            __typename
            ... on CheckRun {
              databaseId name status conclusion startedAt completedAt detailsUrl
              isRequired(pullRequestNumber: $number)
              checkSuite { app { databaseId slug } workflowRun { event workflow { name } } }
            }
            ... on StatusContext {
              context state targetUrl createdAt isRequired(pullRequestNumber: $number)
            }
          }
        }
      }
      commits(last: 1) {
        nodes {
          commit {
            oid committedDate committer { email }
            checkSuites(first: 50, after: $suites) {
              pageInfo { hasNextPage endCursor }
              nodes {
                conclusion createdAt app { slug } workflowRun { workflow { name } }
                checkRuns(first: 1) { totalCount }
              }
            }
          }
        }
      }
      reviewDecision
      reviewRequests(first: 50) {
        nodes { requestedReviewer { __typename ... on User { login } ... on Team { combinedSlug } } }
      }
      latestReviews(first: 50, after: $reviews) {
        pageInfo { hasNextPage endCursor }
        nodes { state submittedAt author { __typename login } commit { oid } authorCanPushToRepository }
      }
      latestOpinionatedReviews(first: 50, after: $opinions, writersOnly: true) {
        pageInfo { hasNextPage endCursor }
        nodes { state submittedAt author { __typename login } commit { oid } authorCanPushToRepository }
      }
      reviewThreads(first: 50, after: $threads) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line
          opening: comments(first: 1) {
            nodes {
              url createdAt author { __typename login } viewerDidAuthor
              pullRequestReview { authorCanPushToRepository }
            }
          }
          latest: comments(last: 10) {
            nodes {
              createdAt author { __typename login } viewerDidAuthor
              pullRequestReview { authorCanPushToRepository }
            }
          }
        }
      }
      timelineItems(last: 1, itemTypes: [HEAD_REF_FORCE_PUSHED_EVENT]) {
        nodes { ... on HeadRefForcePushedEvent { createdAt } }
      }
    }
  }
}
"""
PROBE: Final = _WITH_PAGES.replace("MERGE_STATE", _STATE)
"""The rollup is asked for twice: its state differs where its contexts are selected with it."""
PROBE_WITHOUT_STATE: Final = _WITH_PAGES.replace("MERGE_STATE", "")
"""For Enterprise Servers that lack the merge state."""


def lacks_state(message: str) -> bool:
    """Whether a server refused the query because it does not know the merge state."""
    return _STATE in message
