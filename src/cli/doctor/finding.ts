import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { NetworkName } from '../../chain/genesis/networks.ts'
import type { StartSettings } from '../../service/start-defaults.ts'

/** `fault`: the node would not start, or not do what its flags say. `warning`: it runs, with a risk. */
export type FindingLevel = 'fault' | 'warning'

/** Something that an operator should change. */
export interface Finding {
  readonly check: string
  readonly level: FindingLevel
  /** The fault, and the action that removes it. */
  readonly message: string
}

/** A network that the node would run. */
export interface ExaminedNetwork {
  readonly name: NetworkName
  readonly port: number
  readonly metricsPort: number | undefined
  readonly genesis: Genesis
}

/** The settings that the checks examine. */
export interface Examined {
  readonly options: StartSettings
  readonly networks: readonly ExaminedNetwork[]
}

export function fault(check: string, message: string): Finding {
  return { check, level: 'fault', message }
}

export function warning(check: string, message: string): Finding {
  return { check, level: 'warning', message }
}

/** The findings of an act that throws errors for operators. */
export async function faultsOf(check: string, act: () => unknown): Promise<readonly Finding[]> {
  try {
    await act()
    return []
  } catch (error) {
    return [fault(check, error instanceof Error ? error.message : String(error))]
  }
}
