import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { allOf } from '../../../test/support/all-of.ts'
import { readAbis, readArtifacts, requireArtifacts } from './read-artifacts.ts'

const FILE = fileURLToPath(import.meta.url)

test.each(['/nonexistent/out', FILE])('rejects %s, which is no folder, and says what to do', async (path) => {
  const expected = expect.objectContaining({
    code: 'NO_ARTIFACTS',
    message: `--abi: there is no readable folder at ${path}: name out (Foundry) or artifacts (Hardhat), and compile first`,
  })
  expect(() => requireArtifacts(path)).toThrow(expected)
  const read = allOf(readArtifacts(path, { warn: () => expect.fail('nothing is read') }))
  await expect(read).rejects.toThrow(expected)
})

test('passes over a broken link, with a warning, and reads the other artifacts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-artifacts-'))
  symlinkSync(join(folder, 'absent'), join(folder, 'Broken.json'))
  writeFileSync(join(folder, 'Token.json'), JSON.stringify({ contractName: 'Token', abi: [] }))
  const warned: unknown[] = []

  const artifacts = await allOf(readArtifacts(folder, { warn: (details: object) => warned.push(details) }))

  expect(artifacts).toMatchObject([{ path: 'Token.json', artifact: { name: 'Token' } }])
  expect(warned).toMatchObject([{ path: join(folder, 'Broken.json') }])
  rmSync(folder, { recursive: true })
})

test('reads ABIs with items only, without build information, and as far as they fit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-artifacts-'))
  const item = { type: 'function', name: 'f' }
  const large = [{ ...item, name: 'f'.repeat(8 * 2 ** 20) }]
  const write = (name: string, json: object) => writeFileSync(join(folder, name), JSON.stringify(json))
  symlinkSync(join(folder, 'absent'), join(folder, 'Broken.json'))
  write('A.json', { contractName: 'A', abi: [item] })
  write('A.dbg.json', { abi: [item] })
  write('Empty.json', { abi: [] })
  write('M.json', { abi: large })
  write('Z.json', { abi: [item] })
  const warned: { path: string }[] = []

  const abis = await readAbis(folder, { warn: (details: object) => void warned.push(details as { path: string }) })

  expect(abis).toEqual([{ name: 'A', abi: [item] }])
  expect(warned.map(({ path }) => path)).toEqual([join(folder, 'Broken.json'), 'M.json'])
  rmSync(folder, { recursive: true })
})

test('passes over a pipe and a folder with the name of an artifact, and reads the other artifacts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-artifacts-'))
  execFileSync('mkfifo', [join(folder, 'Pipe.json')])
  mkdirSync(join(folder, 'Folder.json'))
  const item = { type: 'function', name: 'f' }
  writeFileSync(join(folder, 'Token.json'), JSON.stringify({ contractName: 'Token', abi: [item] }))
  const log = { warn: () => expect.fail('neither is read') }

  expect(await allOf(readArtifacts(folder, log))).toMatchObject([{ path: 'Token.json' }])
  expect(await readAbis(folder, log)).toEqual([{ name: 'Token', abi: [item] }])
  rmSync(folder, { recursive: true })
})

test('the studio gets no ABI that is nested too deeply for JSON, and all others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-artifacts-'))
  const depth = 100_000
  const deep = `{"abi":[{"type":"function","name":"f","other":${'['.repeat(depth)}${']'.repeat(depth)}}]}`
  writeFileSync(join(folder, 'Deep.json'), deep)
  writeFileSync(join(folder, 'Token.json'), JSON.stringify({ abi: [{ type: 'function', name: 'f' }] }))

  const abis = await readAbis(folder, { warn: () => undefined })

  expect(abis.map(({ name }) => name)).toEqual(['Token'])
  rmSync(folder, { recursive: true })
})
