// Foundry's programs: their installation from npm, and runs of them in the Solidity project of this folder.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/npm-packages.mjs'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PROGRAMS = join(FOLDER, 'node_modules', '.bin')
/** Milliseconds after which a program is killed: none needs a tenth of it. */
const TIME_LIMIT = 120_000

export function isInstalled(name) {
  return existsSync(join(PROGRAMS, name))
}

/** Installs Foundry on first use. @throws Error when npm fails, for instance without a network */
export function installFoundry() {
  if (!isInstalled('forge')) installPackages(FOLDER)
}

export function spawnProgram(name, args) {
  return spawn(join(PROGRAMS, name), args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** A copy of the Solidity project in a temporary folder, in which programs run until it is removed. */
export class Project {
  #folder = mkdtempSync(join(tmpdir(), 'tickertape-foundry-'))
  /** URL of the node that the programs use by default. */
  url

  /** @param {string} url of the node that the programs use by default */
  constructor(url) {
    this.url = url
    cpSync(join(FOLDER, 'project'), this.#folder, { recursive: true })
  }

  /**
   * Runs a program to its end, with `environment` in addition.
   *
   * @returns {{ status: number | null, output: string, problem: string }} Standard output without white space at its
   *   ends, and both outputs for messages.
   */
  run(name, args, environment = {}) {
    const { status, stdout, stderr, error } = spawnSync(join(PROGRAMS, name), args, {
      cwd: this.#folder,
      encoding: 'utf8',
      timeout: TIME_LIMIT,
      env: {
        ...process.env,
        NO_COLOR: '1',
        ETH_RPC_URL: this.url,
        FOUNDRY_SOLC: join(FOLDER, 'solc.mjs'),
        ...environment,
      },
    })
    if (error !== undefined) throw error
    return { status, output: stdout.trim(), problem: `${stdout}${stderr}`.trim() }
  }

  path(name) {
    return join(this.#folder, name)
  }

  remove() {
    rmSync(this.#folder, { recursive: true })
  }
}
