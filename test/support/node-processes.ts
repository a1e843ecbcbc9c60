import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** A child process that runs a node. */
export interface NodeProcess {
  readonly rpc: string
  readonly ws: string
  readonly testnet: { readonly rpc: string } | null
  readonly child: ChildProcess
  readonly exited: Promise<unknown>
  stop(): Promise<void>
}

/** A child process that runs the stand-alone stock service. */
interface StocksProcess {
  readonly rest: string
  stop(): Promise<void>
}

export const { spawnNode, startStocks } = (await import(
  new URL('../../scripts/support/node-process.mjs', import.meta.url).href
)) as {
  spawnNode(flags: readonly string[], preload?: string, command?: string): Promise<NodeProcess>
  startStocks(rpcUrl: string, flags?: readonly string[]): Promise<StocksProcess>
}

/** Child processes of a process. */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 10))
}
