/** A development node in a process of its own. */
export interface DevelopmentNode {
  readonly port: number
  stop(): Promise<void>
}

interface DevelopmentPeers {
  readonly AUTOMINING_FLAGS: readonly string[]
  /** Which of the other nodes are installed. */
  installedDevelopmentPeers(): { readonly anvil: boolean; readonly hardhat: boolean }
  startAutominingAnvil(flags?: readonly string[]): Promise<DevelopmentNode>
  startAutominingHardhat(): Promise<DevelopmentNode>
  startAutominingOurs(flags?: readonly string[]): Promise<DevelopmentNode>
}

const module = '../../bench/support/development-peers.mjs'
export const {
  installedDevelopmentPeers,
  startAutominingAnvil,
  startAutominingHardhat,
  startAutominingOurs,
}: DevelopmentPeers = await import(new URL(module, import.meta.url).href)
