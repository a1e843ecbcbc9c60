import { expect, test } from 'vitest'
import { elementaryType } from './solidity-type.ts'

test.each([
  ['uint', 'unsigned', 32],
  ['uint112', 'unsigned', 14],
  ['int8', 'signed', 1],
  ['bool', 'bool', 1],
  ['address', 'address', 20],
  ['address payable', 'address', 20],
  ['bytes4', 'fixedBytes', 4],
  ['bytes32', 'fixedBytes', 32],
])('%s is a value', (name, form, bytes) => {
  expect(elementaryType(name)).toEqual({ kind: 'value', text: name, form, bytes })
})

test.each(['bytesId', 'bytes0', 'bytes33', 'uint7', 'uint264', 'uintPrice', 'boolean', 'addressBook'])(
  '%s is no type of the language',
  (name) => {
    expect(elementaryType(name)).toEqual({ kind: 'unknown', text: name })
  },
)
