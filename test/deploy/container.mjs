// deploy/Dockerfile: built and run by docker or podman where an engine runs, otherwise step by step in directories.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'
import { buildInDirectories } from './dockerfile.mjs'
import { otherUser } from './other-user.mjs'
import { answering, freePort, resultOf, whileRunning } from './running-command.mjs'

const FILE = 'deploy/Dockerfile'
/** Milliseconds that docker waits before it kills a container. */
const STOP_LIMIT_MS = 10_000
const TAG = 'tickertape-test-deploy'

export async function exerciseContainer(report) {
  const engine = ['docker', 'podman'].find((program) => report.works(program, 'info'))
  if (engine !== undefined) {
    await runInContainer(engine, report)
    return
  }
  report.notDone('container: an image and a container: no engine runs (docker or podman)')
  await runInDirectories(report)
}

async function runInContainer(engine, report) {
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(engine, args, { cwd: root, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${engine} ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  run('build', '-f', FILE, '-t', TAG, '.')
  const port = await freePort()
  const container = run('run', '-d', '-p', `127.0.0.1:${port}:8545`, TAG)
  try {
    await answering(`http://127.0.0.1:${port}/ready`)
    if (run('exec', container, 'id', '-u') === '0') throw new Error('the container runs as root')
    const health = JSON.parse(run('inspect', '--format', '{{json .Config.Healthcheck.Test}}', container)).slice(1)
    run('exec', container, ...health)
    run('stop', container)
    const code = run('inspect', '--format', '{{.State.ExitCode}}', container)
    if (code !== '0') throw new Error(`the container ended with ${code} when it was stopped`)
    report.done(`container: ${engine} builds it; it is ready, healthy, not root, and stops with 0`)
  } finally {
    run('rm', '-f', container)
  }
}

async function runInDirectories(report) {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-container-'))
  try {
    const uid = otherUser(report, 'container')
    const image = buildInDirectories({ text: readFileSync(join(root, FILE), 'utf8'), context: root, folder, uid })
    report.done(
      `container: the steps of its ${image.stages} stages, on Node ${process.versions.node} instead of its image`,
    )
    if (image.user === undefined || image.user === 'root') throw new Error('the last stage runs as root')
    const port = await freePort()
    const env = { PATH: process.env.PATH, ...image.env, TICKERTAPE_HOST: '127.0.0.1', TICKERTAPE_PORT: `${port}` }
    const command = { words: image.command, env, cwd: image.workdir, uid, port, stopLimitMs: STOP_LIMIT_MS }
    const [program, ...args] = image.healthcheck.map((word) => word.replaceAll('8545', `${port}`))
    const healthOf = () => spawnSync(program, args, { env, uid, gid: uid }).status
    await whileRunning(command, async () => {
      const chainId = await resultOf(port, 'eth_chainId')
      if (chainId !== '0x7a69') throw new Error(`the command of the container answers ${chainId}`)
      if (healthOf() !== 0) throw new Error('HEALTHCHECK fails while the node runs')
    })
    if (healthOf() === 0) throw new Error('HEALTHCHECK succeeds without a node')
    report.done('container: its command is ready, answers, is healthy while it runs only, and stops with 0')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
