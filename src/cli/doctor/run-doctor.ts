import { genesisOf } from '../../flags/genesis/genesis-flags.ts'
import { MAIN_NETWORK, TEST_NETWORK, testnetPort } from '../../flags/network-flags.ts'
import type { StartOptions } from '../../flags/start-flags.ts'
import { systemClock } from '../../node/core/clock.ts'
import { withStartDefaults } from '../../service/start-defaults.ts'
import { manyLines } from '../terminal/terminal-text.ts'
import { type ExaminedNetwork, type Finding, fault } from './finding.ts'
import { checkMachine, type Machine, thisMachine } from './machine-checks.ts'
import { checkNats } from './nats-checks.ts'
import { checkNode } from './node-checks.ts'

/** Examines what a start with these options would need. Changes nothing. */
export async function examine(given: StartOptions, machine: Machine = thisMachine()): Promise<readonly Finding[]> {
  const options = await withStartDefaults(given, systemClock.wall())
  const onMachine = checkMachine(options, machine)
  const networks: ExaminedNetwork[] = []
  try {
    const { port, metricsPort, testnet } = options
    networks.push({ ...MAIN_NETWORK, port, metricsPort, genesis: await genesisOf(MAIN_NETWORK.name, options) })
    if (testnet) {
      const next = metricsPort === undefined || metricsPort === 0 ? metricsPort : metricsPort + 1
      const genesis = await genesisOf(TEST_NETWORK.name, options)
      networks.push({ ...TEST_NETWORK, port: testnetPort(options), metricsPort: next, genesis })
    }
  } catch (error) {
    return [...onMachine, fault('genesis', (error as Error).message)]
  }
  const examined = { options, networks }
  return [...onMachine, ...(await checkNode(examined)), ...(await checkNats(examined))]
}

/** Prints the findings. @returns the exit code */
export function report(findings: readonly Finding[], json: boolean): number {
  const faults = findings.filter(({ level }) => level === 'fault')
  const lines = findings.map(({ check, level, message }) => `${level}: ${check}: ${manyLines(message)}`)
  const counts = `${faults.length} faults, ${findings.length - faults.length} warnings`
  process.stdout.write(json ? `${JSON.stringify(findings)}\n` : `${[...lines, counts].join('\n')}\n`)
  return faults.length > 0 ? 1 : 0
}
