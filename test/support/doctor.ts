import { Command } from 'commander'
import { diagnose } from '../../src/cli/commands/doctor-command.ts'
import { startCommand } from '../../src/cli/commands/start-command.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import type { Machine } from '../../src/cli/doctor/machine-checks.ts'

const SOUND: Machine = {
  addressSpaceAdvice: undefined,
  openFiles: 65_536,
  processors: 8,
  memoryBytes: 2 ** 32,
  signatures: 'addon',
  fileSystem: () => ({ freeBytes: 2 ** 40, type: 0xef53 }),
}

/** The findings of `tickertape doctor` with these flags, on a sound machine except for the given facts. */
export function diagnoseOn(flags: readonly string[], machine: Partial<Machine> = {}): Promise<readonly Finding[]> {
  const program = new Command('tickertape').addCommand(startCommand(async () => {}))
  return diagnose(program, ['--port', '0', ...flags], { ...SOUND, ...machine })
}

/** A line per finding. */
export const textOf = (findings: readonly Finding[]) =>
  findings.map(({ check, level, message }) => `${level} ${check}: ${message}`).join('\n')
