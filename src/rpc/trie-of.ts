import type { BlockView, View } from '../node/view.ts'

/** The state trie after a block that is sealed or open. */
export function trieOf(view: View, { block, status }: BlockView) {
  const { base, recent, pending } = view.head
  if (status === 'open') return pending.trie
  return recent.find((layered) => layered.block.hash === block.hash)?.trie ?? base.trieAt(block.header.number)
}
