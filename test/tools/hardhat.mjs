// Hardhat 2 with its plugins, in a copy of the project of this folder.
import { equal, match } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const PACKAGES = join(FOLDER, 'node_modules')
/** What plugins remember of a chain. */
const RECORDS = ['deployments', 'ignition/deployments', '.openzeppelin']
/** Milliseconds after which a run is killed: Ignition waits for five blocks after each of its batches. */
const TIME_LIMIT = 300_000

/** A copy of the project in a temporary folder, which compiles once for all nodes. */
export class HardhatProject {
  #folder = mkdtempSync(join(tmpdir(), 'tickertape-tools-'))

  constructor() {
    cpSync(join(FOLDER, 'project'), this.#folder, { recursive: true })
    symlinkSync(PACKAGES, join(this.#folder, 'node_modules'))
  }

  /** Runs a task to its end. @returns its output @throws Error if it fails */
  run(url, ...task) {
    const args = ['--config', 'hardhat.config.cjs', '--network', 'node', ...task]
    const { status, stdout, stderr, error } = spawnSync(join(PACKAGES, '.bin/hardhat'), args, {
      cwd: this.#folder,
      encoding: 'utf8',
      timeout: TIME_LIMIT,
      env: {
        ...process.env,
        NODE_URL: url,
        NO_COLOR: '1',
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: 'true',
      },
    })
    if (error !== undefined) throw error
    equal(status, 0, `hardhat ${task.join(' ')}\n${stdout}${stderr}`)
    return stdout
  }

  /** Removes the records of plugins: the next node has another chain. */
  forget() {
    for (const path of RECORDS) rmSync(join(this.#folder, path), { recursive: true, force: true })
  }

  remove() {
    rmSync(this.#folder, { recursive: true })
  }
}

/** Deployments that read each other. The second run sends nothing. */
export function hardhatDeploy(url, project) {
  const deploy = () => [project.run(url, 'deploy'), project.run(url, 'run', 'scripts/check-deployments.cjs')]
  const [first, nonces] = deploy()
  match(first, /deploying "Report"/)
  match(nonces, /^nonces [1-9]/m)

  const [second, same] = deploy()
  match(second, /reusing "Report"/)
  equal(/deploying|executing/.test(second), false, second)
  equal(same, nonces)
}

/** Transparent, UUPS and beacon proxies, deployed and upgraded. The second run uses implementations of the first. */
export function upgrades(url, project) {
  for (let run = 0; run < 2; run++) project.run(url, 'run', 'scripts/upgrades.cjs')
}

/** A library, a contract with immutables and a proxy, verified with Etherscan's API of the node. */
export function verify(url, project) {
  const output = project.run(url, 'run', 'scripts/verify.cjs')
  equal(output.match(/^verified 0x/gm)?.length, 3, output)
}

/** A module, another one that continues its deployment, and a third run that finds nothing to do. */
export function ignition(url, project) {
  const deploy = (module) =>
    project.run(url, 'ignition', 'deploy', `ignition/modules/${module}.cjs`, '--deployment-id', 'tools')
  match(deploy('Token'), /Token#Token - 0x/)
  const resumed = deploy('Vault')
  match(resumed, /Resuming existing deployment/)
  match(resumed, /Vault#Second - 0x/)
  match(deploy('Vault'), /Nothing new to deploy/)
}
