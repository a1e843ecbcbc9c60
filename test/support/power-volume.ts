import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SIZE = '4G'
/** Nothing is written because of its age within a test: what is not synced stays in memory. */
const MOUNT_OPTIONS = 'loop,commit=600'

/**
 * A real file system (ext4) in an image file, whose power can be cut: everything that was not synced is lost. Needs the
 * permission to mount.
 */
export class PowerVolume {
  readonly path: string
  readonly #folder: string
  #image: string
  #cuts = 0

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'tickertape-power-'))
    this.path = join(this.#folder, 'mounted')
    this.#image = join(this.#folder, 'image-0')
    mkdirSync(this.path)
    run('truncate', '-s', SIZE, this.#image)
    run('mkfs.ext4', '-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', this.#image)
    run('mount', '-o', MOUNT_OPTIONS, this.#image, this.path)
  }

  /** Cuts and restores the power. All processes that use the volume must have been killed. */
  cut(): void {
    const before = this.#image
    this.#cuts += 1
    this.#image = join(this.#folder, `image-${this.#cuts}`)
    // The kernel writes what is in memory when the volume is unmounted, into the image that is then removed.
    run('cp', '--sparse=always', before, this.#image)
    run('umount', this.path)
    rmSync(before)
    run('mount', '-o', MOUNT_OPTIONS, this.#image, this.path)
  }

  /** Processes that still use it keep it until they end. */
  remove(): void {
    run('umount', '--lazy', this.path)
    rmSync(this.#folder, { recursive: true })
  }
}

/** Whether this process may mount a volume. */
export function canMount(): boolean {
  try {
    new PowerVolume().remove()
    return true
  } catch {
    process.stderr.write('skipped: mounting a volume is not permitted, so that no power loss can be simulated\n')
    return false
  }
}

function run(program: string, ...parameters: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program}: ${error?.message ?? stderr}`)
}
