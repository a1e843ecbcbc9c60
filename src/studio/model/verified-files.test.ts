import { describe, expect, test } from 'vitest'
import { verifiedFiles, verifiedFilesPath } from './verified-files.ts'

const ANSWER = {
  match: 'exact_match',
  sources: { 'lib/Math.sol': { content: 'library Math {}' }, 'src/Vault.sol': { content: 'contract Vault {}\n' } },
  compilation: { fullyQualifiedName: 'src/Vault.sol:Vault', compilerVersion: '0.8.24+commit.e11b9ed9' },
}

describe('verifiedFiles', () => {
  test('reads name, compiler and files, that of the contract first', () => {
    expect(verifiedFiles(JSON.stringify(ANSWER))).toEqual({
      isExact: true,
      contract: 'src/Vault.sol:Vault',
      compiler: '0.8.24+commit.e11b9ed9',
      files: [
        { path: 'src/Vault.sol', text: 'contract Vault {}\n' },
        { path: 'lib/Math.sol', text: 'library Math {}' },
      ],
    })
    expect(verifiedFiles(JSON.stringify({ ...ANSWER, match: 'match' }))?.isExact).toBe(false)
  })

  test.each([
    ['an unverified contract', JSON.stringify({ ...ANSWER, match: null })],
    ['a page of another kind', '<html></html>'],
    ['sources of another form', JSON.stringify({ ...ANSWER, sources: { 'A.sol': 'text' } })],
  ])('is undefined for %s', (_, text) => {
    expect(verifiedFiles(text)).toBeUndefined()
  })

  test('names the path of the interface', () => {
    expect(verifiedFilesPath(31_337n, '0xaa')).toBe('verify/sourcify/v2/contract/31337/0xaa?fields=sources,compilation')
  })
})
