import { bytesToHex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { data, hash } from '../codecs/bytes.ts'
import { defineMethod, required } from '../method.ts'

export const web3_sha3 = defineMethod({
  name: 'web3_sha3',
  summary: 'Keccak-256 of bytes.',
  params: [required('data', data)],
  result: hash.schema,
  cost: 1,
  example: {
    params: ['0x68656c6c6f'],
    result: '0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8',
  },
  handle: ([bytes]) => bytesToHex(keccak256(bytes)),
})
