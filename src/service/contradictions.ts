import type { StartOptions } from '../flags/start-flags.ts'

/** The first pair of options that contradict each other, as a text that names their flags. */
export function contradictionOf(options: StartOptions): string | undefined {
  const { failover, nats, standStill, ephemeral, mining, mnemonicRandom } = options
  if (failover && nats === undefined) {
    return '--failover needs --nats: the servers that hold the records and the lease'
  }
  if (failover && standStill) {
    // The node would never publish and therefore never notice another leader.
    return '--stand-still contradicts --failover: a node that can lead has to build blocks'
  }
  if (mnemonicRandom !== undefined && !ephemeral) {
    return '--mnemonic-random needs --ephemeral: every start has other accounts in block 0'
  }
  if (mining.kind !== 'on-demand') return undefined
  if (failover) return '--mining contradicts --failover: its nodes build flashblocks'
  if (standStill) return '--mining contradicts --stand-still: no blocks are built'
  return undefined
}
