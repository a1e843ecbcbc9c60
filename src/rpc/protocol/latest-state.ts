/**
 * What reads of state and calls see at `latest` and without a block: the newest sealed block, or everything that is
 * pre-confirmed. Blocks, logs, heights and proofs at `latest` are sealed with both.
 */
export const LATEST_STATES = ['sealed', 'preconfirmed'] as const
export type LatestState = (typeof LATEST_STATES)[number]

export function isLatestState(text: string): text is LatestState {
  return LATEST_STATES.some((one) => one === text)
}
