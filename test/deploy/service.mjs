// deploy/tickertape.service: what systemd says about it, and its command with its environment.
import { spawnSync } from 'node:child_process'
import { chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { otherUser } from './other-user.mjs'
import { freePort, resultOf, whileRunning } from './running-command.mjs'

const UNIT = join(root, 'deploy/tickertape.service')

export async function exerciseService(report) {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-service-'))
  try {
    analyze(folder, report)
    await runCommandOfUnit(folder, report)
    if (existsSync('/run/systemd/system'))
      report.notDone('service: start of the unit by systemd: it would change this system')
    else report.notDone('service: start of the unit by systemd, and its sandbox: systemd does not run here')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function analyze(folder, report) {
  if (!report.works('systemd-analyze', '--version')) {
    report.notDone('service: systemd-analyze verify and security: it is not installed')
    return
  }
  const unit = join(folder, 'tickertape.service')
  copyFileSync(UNIT, unit)
  const run = (...args) => {
    const { stdout, stderr } = spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' })
    return stdout + stderr
  }
  const verified = run('verify')
  if (verified.includes('tickertape.service')) throw new Error(`systemd-analyze verify: ${verified}`)
  const [, exposure] = /Overall exposure level for .*: ([0-9.]+)/.exec(run('security', '--offline=true')) ?? []
  report.done(`service: systemd-analyze accepts the unit; exposure ${exposure ?? 'unknown'} of 10`)
}

/** Starts what ExecStart names, as the user of a service, with its environment. */
async function runCommandOfUnit(folder, report) {
  const settings = readFileSync(UNIT, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line))
  const of = (name) => settings.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1))
  const prefix = join(folder, 'prefix')
  install(folder, prefix)
  const uid = otherUser(report, 'service')
  const state = join(folder, 'state')
  mkdirSync(state, { mode: 0o700 })
  if (uid !== undefined) chownSync(state, uid, uid)
  const port = await freePort()
  const environment = Object.fromEntries(of('Environment').map((pair) => pair.split(/=(.*)/s)))
  const directory = join('/var/lib', of('StateDirectory')[0])
  const env = {
    PATH: [join(prefix, 'bin'), process.env.PATH].join(delimiter),
    ...Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace(directory, state)])),
    TICKERTAPE_PORT: `${port}`,
  }
  const stopLimitMs = Number(of('TimeoutStopSec')[0]) * 1_000
  const command = { words: of('ExecStart')[0].split(' '), env, cwd: '/', uid, port, stopLimitMs }
  for (const start of ['first', 'second']) {
    await whileRunning(command, async () => {
      const chainId = await resultOf(port, 'eth_chainId')
      if (chainId !== '0x7a69') throw new Error(`the ${start} start of the service answers ${chainId}`)
    })
  }
  if (!existsSync(join(state, 'main/data.mdb')))
    throw new Error('the service does not keep its chain in StateDirectory')
  report.done(
    'service: ExecStart becomes ready, answers, stops after SIGTERM with 0, and starts again on its directory',
  )
}

/** As the first lines of the unit say. */
function install(folder, prefix) {
  const npm = (...args) => {
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const file = npm('pack', '--silent', '--pack-destination', folder)
  npm('install', '--global', '--prefix', prefix, join(folder, file))
  // The user of the service reads it; mkdtemp makes a directory for one user.
  spawnSync('chmod', ['-R', 'a+rX', folder])
}
