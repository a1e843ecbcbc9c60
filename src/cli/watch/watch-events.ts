import type { Store } from '../../live/store.ts'
import type { Timeline, TimelineBlock, TimelineSlot } from '../../live/timeline.ts'
import type { WatchState } from './watch-state.ts'

/** A change that `tickertape watch` prints when it does not draw a screen. */
export type WatchEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected' }
  /** The node announced a whole block first: it has no flashblocks, or has had none yet. */
  | { readonly kind: 'blocksOnly' }
  | { readonly kind: 'flashblock'; readonly block: TimelineBlock; readonly slot: TimelineSlot }
  | { readonly kind: 'block'; readonly block: TimelineBlock }
  /** Announced blocks from this height on are replaced. */
  | { readonly kind: 'reorganised'; readonly from: number }

/**
 * Calls `listener` with each change of the state from the first connection on. Flashblocks of the open block that
 * arrived before the node had identified itself, and the end of the block before it, are reported after `connected`.
 */
export function onWatchEvents(
  state: Store<WatchState>,
  listener: (event: WatchEvent, state: WatchState) => void,
): void {
  let before = state.value
  let wasEverConnected = isConnected(before)
  state.subscribe(() => {
    const after = state.value
    const previous = wasEverConnected ? before : withoutOpenBlock(before, after)
    before = after
    if (!isConnected(previous) && !isConnected(after)) return
    wasEverConnected = true
    for (const event of watchEvents(previous, after)) listener(event, after)
  })
}

/** The state before the first connection, as if the open block had begun with it. */
function withoutOpenBlock(before: WatchState, { live }: WatchState): WatchState {
  return { ...before, live: { ...live, mode: 'starting', timeline: { ...live.timeline, open: undefined } } }
}

/** Changes between two states, oldest first. */
export function watchEvents(before: WatchState, after: WatchState): readonly WatchEvent[] {
  const was = before.live.timeline
  const is = after.live.timeline
  const wasConnected = isConnected(before)
  return [
    ...(wasConnected && !isConnected(after) ? [{ kind: 'disconnected' } as const] : []),
    ...(!wasConnected && isConnected(after) ? [{ kind: 'connected' } as const] : []),
    ...(before.live.mode !== 'blocks' && after.live.mode === 'blocks' ? [{ kind: 'blocksOnly' } as const] : []),
    ...(is === was ? [] : timelineEvents(was, is, after.live.mode)),
  ]
}

function isConnected({ connection, node }: WatchState): boolean {
  return node !== undefined && (connection.kind === 'live' || connection.kind === 'polling')
}

function timelineEvents(was: Timeline, is: Timeline, mode: WatchState['live']['mode']): readonly WatchEvent[] {
  const known = new Set(completeBlocks(was).map(keyOf))
  const blocks = completeBlocks(is).filter((block) => !known.has(keyOf(block)))
  const isReplacing = is.replaced > was.replaced
  return [
    ...(isReplacing ? [{ kind: 'reorganised', from: is.open!.number } as const] : []),
    ...blocks.map((block) => ({ kind: 'block', block }) as const),
    ...(mode === 'flashblocks' ? newSlots(was, is) : []),
  ]
}

/** Blocks that were announced as sealed, or that another one follows. */
function completeBlocks({ sealed, open }: Timeline): readonly TimelineBlock[] {
  // After a lost connection the last block may go on.
  const last = sealed.at(-1)
  const isUncertain = open === undefined && last !== undefined && !last.isSealed
  return [...(isUncertain ? sealed.slice(0, -1) : sealed), ...(open?.isSealed ? [open] : [])]
}

function keyOf({ number, payloadId }: TimelineBlock): string {
  return `${number} ${payloadId}`
}

function newSlots(was: Timeline, { open }: Timeline): readonly WatchEvent[] {
  if (open === undefined) return []
  const before =
    was.open?.payloadId === open.payloadId ? was.open : was.sealed.find((one) => keyOf(one) === keyOf(open))
  const newest = before?.slots.at(-1)?.index ?? -1
  return open.slots
    .filter(({ index }) => index > newest)
    .map((slot) => ({ kind: 'flashblock', block: open, slot }) as const)
}
