import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { isDenimBlock } from '../../chain/forks/denim-schedule.ts'
import type { View } from '../../node/view/view.ts'

/** Whether the view has no pre-confirmations: its next block is one of Denim, and is announced sealed. */
export function hasNoPendingBlock({ head }: View, config: Pick<ChainConfig, 'layer2'>): boolean {
  return isDenimBlock(head.pending.block.header.number, config)
}
