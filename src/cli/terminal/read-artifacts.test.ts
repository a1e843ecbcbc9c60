import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readArtifacts, requireArtifacts } from './read-artifacts.ts'

const FILE = fileURLToPath(import.meta.url)

test.each(['/nonexistent/out', FILE])('rejects %s, which is no folder, and says what to do', (path) => {
  const expected = expect.objectContaining({
    code: 'NO_ARTIFACTS',
    message: `--abi: there is no readable folder at ${path}: name out (Foundry) or artifacts (Hardhat), and compile first`,
  })
  expect(() => requireArtifacts(path)).toThrow(expected)
  expect(() => readArtifacts(path, { warn: () => expect.fail('nothing is read') })).toThrow(expected)
})
