import { statfsSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname, resolve } from 'node:path'
import { secp256k1Implementation } from '../../primitives/secp256k1/secp256k1.ts'
import { withinOpenFiles } from '../../service/open-files.ts'
import type { StartSettings } from '../../service/start-defaults.ts'
import { addressSpaceAdvice } from '../process/address-space.ts'
import { type Finding, fault, warning } from './finding.ts'

const MIB = 2 ** 20
/** Memory of a small node by docs/operations.md. */
const ENOUGH_MEMORY = 512 * MIB
/** Bytes free on the disk below which a node soon fails, and below which it fails within minutes. */
const LITTLE_DISK = 1024 * MIB
const NO_DISK = 64 * MIB
/** File systems over a network by the number that `statfs` gives: NFS, SMB, CIFS, SMB2, AFS, Ceph, Lustre, 9p. */
const NETWORK_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x0bd00bd0, 0x01021997,
])

/** Facts about the machine; tests pass others. */
export interface Machine {
  readonly addressSpaceAdvice: string | undefined
  readonly openFiles: number | undefined
  readonly processors: number
  readonly memoryBytes: number
  readonly signatures: string
  /** Free bytes and type of the file system of a path, or of its nearest existing parent. */
  readonly fileSystem: (path: string) => { readonly freeBytes: number; readonly type: number } | undefined
}

export function thisMachine(): Machine {
  return {
    addressSpaceAdvice: addressSpaceAdvice(),
    openFiles: undefined,
    processors: availableParallelism(),
    memoryBytes: Math.min(process.constrainedMemory?.() || totalmem(), totalmem()),
    signatures: secp256k1Implementation,
    fileSystem,
  }
}

/** Limits of the process and of the machine. */
export function checkMachine(options: StartSettings, machine: Machine): readonly Finding[] {
  const { rpcWorkers } = options
  const findings: Finding[] = []
  withinOpenFiles(options, (reason) => findings.push(fault('open files', reason)), machine.openFiles)
  if (machine.addressSpaceAdvice !== undefined) {
    findings.push(warning('address space', machine.addressSpaceAdvice.replace(/^tickertape: /, '').trim()))
  }
  if (rpcWorkers >= machine.processors) {
    const reason = `--rpc-workers ${rpcWorkers} on ${machine.processors} processors`
    findings.push(warning('processors', `${reason}: leave one to the process that builds blocks`))
  }
  if (machine.memoryBytes < ENOUGH_MEMORY) {
    const mib = Math.floor(machine.memoryBytes / MIB)
    findings.push(warning('memory', `${mib} MiB of memory: a node needs ${ENOUGH_MEMORY / MIB} MiB`))
  }
  if (machine.signatures !== 'addon') {
    const reason = 'the native addon for signatures does not load here: recovering a sender takes twice as long'
    findings.push(
      warning('native addon', `${reason}; install the package again without --no-optional and --ignore-scripts`),
    )
  }
  return options.ephemeral ? findings : [...findings, ...checkFileSystem(options.datadir, machine)]
}

function checkFileSystem(path: string, machine: Machine): readonly Finding[] {
  const found = machine.fileSystem(path)
  if (found === undefined) return []
  const { freeBytes, type } = found
  const findings: Finding[] = []
  if (freeBytes < LITTLE_DISK) {
    const reason = `${Math.floor(freeBytes / MIB)} MiB are free for ${path}`
    const advice = 'free some, name another --datadir, or keep less with --history'
    findings.push({ check: 'disk', level: freeBytes < NO_DISK ? 'fault' : 'warning', message: `${reason}: ${advice}` })
  }
  if (NETWORK_FILE_SYSTEMS.has(type)) {
    findings.push(
      fault('disk', `${path} is on a network file system, where LMDB does not work: name a local --datadir`),
    )
  }
  return findings
}

function fileSystem(path: string): ReturnType<Machine['fileSystem']> {
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      const { bavail, bsize, type } = statfsSync(at)
      return { freeBytes: bavail * bsize, type }
    } catch {
      if (dirname(at) === at) return undefined
    }
  }
}
