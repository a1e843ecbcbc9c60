import { beforeAll, expect, test } from 'vitest'
import { spawnNode } from '../support/node-processes.ts'
import { prepareStudio } from './prepare-studio.ts'

beforeAll(() => prepareStudio())

test.each([
  ['on loopback', [], 200],
  ['through RPC workers', ['--rpc-workers', '1'], 200],
  ['not with --no-studio', ['--no-studio'], 404],
  ['not beyond loopback', ['--host', '0.0.0.0'], 404],
  ['beyond loopback with --studio', ['--host', '0.0.0.0', '--studio'], 200],
] as const)('serves the studio: %s', async (_, flags, status) => {
  const node = await spawnNode(['--ephemeral', ...flags])
  const { studio } = node as unknown as { readonly studio?: string }
  try {
    const response = await fetch(`${node.rpc}/studio`)
    expect(response.status).toBe(status)
    expect(studio).toBe(status === 200 ? `${node.rpc}/studio` : undefined)
    const script = await fetch(`${node.rpc}/studio/app.js`)
    expect(script.status).toBe(status)
  } finally {
    await node.stop()
  }
})
