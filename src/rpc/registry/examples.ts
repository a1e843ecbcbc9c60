import type { JsonRecord } from '../protocol/json.ts'

/**
 * Data of the method examples: responses of a node whose block 1 deploys a contract and whose open block 2 has a
 * transaction that calls it. `examples.test.ts` builds that chain and compares.
 */

export const EXAMPLE_ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
export const EXAMPLE_CONTRACT = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
/** Hash of the open block so far. */
export const EXAMPLE_BLOCK_HASH = '0xe0770b63f79094fa9fb0380cf271208d07c279739b2cd66c585a4858cb0b34e9'
export const EXAMPLE_TRANSACTION_HASH = '0xe24978f82496cfd2701a306815180f957d599ff9144f312866a0c2ea00a03c6c'
/** The next transaction of the account, and its hash. */
export const EXAMPLE_RAW_TRANSACTION =
  '0x02f88d827a6902830f42408502540be400830186a0945fbdb2315678afecb367f032d93f642f64180aa380a00000000000' +
  '00000000000000000000000000000000000000000000000000002bc080a00c4defe7996279fdd2994b7def94fd8052f41797' +
  '75e7faee58af1ab0375794d5a0563ef098d955aaabb696701ab8bdeff2cd5c6109326096939d609506c8ab3833'
export const EXAMPLE_SENT_HASH = '0x458bb303fe5db20862d2452b00f3eaf67084111ec4ac0b5e4748f30a4e7f81c2'
/** Hash of the open block including it. */
const EXAMPLE_NEXT_HASH = '0x4e5cd3352a051aca73a16831f6f38a346be6b0ee78e44c01c4929f251cf90a0e'
export const EXAMPLE_FILTER_ID = '0x9cef478923ff08bf67fde6c64013158d'

/** A contract that emits a log with the first word of its input as topic. */
export const EXAMPLE_CALL = {
  to: EXAMPLE_CONTRACT,
  input: '0x000000000000000000000000000000000000000000000000000000000000002a',
} as const satisfies JsonRecord

const LOGS_BLOOM =
  '0x00000000000000000000000000000000000000000000000000000000000000000000000000004000000000000000000000' +
  '0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
  '0000000000000200000000000000000000000000000000000000000000000000000000000000000000000000000040000000' +
  '0000000000000000000000000000000000000000000000001000000000000000000000000000200000000000000000000000' +
  '00000000000000'

export const EXAMPLE_HEADER = {
  number: '0x2',
  hash: EXAMPLE_BLOCK_HASH,
  parentHash: '0x556e3c5799c93e2d26c549fd075670b4ef08f3728e28dc1ce328dd84c2694390',
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: LOGS_BLOOM,
  transactionsRoot: '0xb9032943bc90a112d863cf4fc720fb0a80c1d1a649fc76e7033d56f163720f81',
  stateRoot: '0x69ac42de75b017367834bd1410770f5d092d3665a7792ef73a26ee24633aa8d4',
  receiptsRoot: '0x82d96b657faef9c16d0888446b5df38b09364fd0a444f0b086bb82e73bc3c0e9',
  miner: '0x4200000000000000000000000000000000000011',
  difficulty: '0x0',
  mixHash: '0x24f51d9e7d3717a841b0b7924a6909787ac09d9b60532cb775a0880362192b81',
  extraData: '0x01000000640000000500000000004c4b40',
  gasLimit: '0x17d78400',
  gasUsed: '0x5691',
  timestamp: '0x6955b904',
  baseFeePerGas: '0x4c4b40',
  withdrawalsRoot: '0xf38f9f63c760d088d7dd04f743619b6291f63beebd8bdf530628f90e9cfa52d7',
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: '0x0000000000000000000000000000000000000000000000000000000000000000',
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
} as const satisfies JsonRecord

export const EXAMPLE_BLOCK = {
  ...EXAMPLE_HEADER,
  size: '0x30d',
  transactions: [EXAMPLE_TRANSACTION_HASH],
  uncles: [],
  withdrawals: [],
} as const satisfies JsonRecord

export const EXAMPLE_TRANSACTION = {
  blockHash: EXAMPLE_BLOCK_HASH,
  blockNumber: '0x2',
  blockTimestamp: '0x6955b904',
  transactionIndex: '0x0',
  type: '0x2',
  hash: EXAMPLE_TRANSACTION_HASH,
  from: EXAMPLE_ACCOUNT,
  to: EXAMPLE_CONTRACT,
  nonce: '0x1',
  gas: '0x186a0',
  value: '0x0',
  input: '0x000000000000000000000000000000000000000000000000000000000000002a',
  chainId: '0x7a69',
  accessList: [],
  maxFeePerGas: '0x2540be400',
  maxPriorityFeePerGas: '0xf4240',
  v: '0x1',
  r: '0xfbd1d8d530a17932c45273c51261d119955ae981fd4408653dcd92cf8ca6821f',
  s: '0x2cf699fd1d8145b5224db3f0340d133aaa6477ab50514fece725d63f19b19387',
  yParity: '0x1',
  gasPrice: '0x5b8d80',
} as const satisfies JsonRecord

export const EXAMPLE_LOG = {
  address: EXAMPLE_CONTRACT,
  topics: ['0x000000000000000000000000000000000000000000000000000000000000002a'],
  data: '0x0000000000000000000000000000000000000000000000000000000000000000',
  blockNumber: '0x2',
  transactionHash: EXAMPLE_TRANSACTION_HASH,
  transactionIndex: '0x0',
  blockHash: EXAMPLE_BLOCK_HASH,
  blockTimestamp: '0x6955b904',
  logIndex: '0x0',
  removed: false,
} as const satisfies JsonRecord

export const EXAMPLE_RECEIPT = {
  blockHash: EXAMPLE_BLOCK_HASH,
  blockNumber: '0x2',
  transactionHash: EXAMPLE_TRANSACTION_HASH,
  transactionIndex: '0x0',
  type: '0x2',
  from: EXAMPLE_ACCOUNT,
  to: EXAMPLE_CONTRACT,
  contractAddress: null,
  cumulativeGasUsed: '0x5691',
  gasUsed: '0x5691',
  effectiveGasPrice: '0x5b8d80',
  logs: [EXAMPLE_LOG],
  logsBloom: LOGS_BLOOM,
  status: '0x1',
  blobGasUsed: '0x0',
  l1Fee: '0x0',
  l1GasPrice: '0x0',
  l1GasUsed: '0x0',
  l1BaseFeeScalar: '0x0',
  l1BlobBaseFee: '0x0',
  l1BlobBaseFeeScalar: '0x0',
  daFootprintGasScalar: '0x0',
} as const satisfies JsonRecord

/** Receipt of the account's next transaction, in the next flashblock. */
export const EXAMPLE_SENT_RECEIPT = {
  ...EXAMPLE_RECEIPT,
  blockHash: EXAMPLE_NEXT_HASH,
  transactionHash: EXAMPLE_SENT_HASH,
  transactionIndex: '0x1',
  cumulativeGasUsed: '0xad22',
  logs: [
    {
      ...EXAMPLE_LOG,
      topics: ['0x000000000000000000000000000000000000000000000000000000000000002b'],
      transactionHash: EXAMPLE_SENT_HASH,
      transactionIndex: '0x1',
      blockHash: EXAMPLE_NEXT_HASH,
      logIndex: '0x1',
    },
  ],
  logsBloom:
    '0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
    '0000000000010000000000000000000000000000000000008000000000000000000000000000000000000000000000000000' +
    '4000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
    '0000000000000200000000000000000000000000000000000000000000000000000000000000000000000000000000000040' +
    '0000001000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000' +
    '00000000000000000000',
} as const satisfies JsonRecord

/** Error of methods that would need keys. */
/** A transaction behind a nonce gap. */
export const EXAMPLE_POOLED = {
  blockHash: null,
  blockNumber: null,
  blockTimestamp: null,
  transactionIndex: null,
  type: '0x2',
  hash: '0xd3f02ceb4581438370bdfc71398ecbafa38eaa093ce6c2856e97685a0c246e71',
  from: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  to: '0xa0ee7a142d267c1f36714e4a8f75612f20a79720',
  nonce: '0x5',
  gas: '0x5208',
  value: '0x1',
  input: '0x',
  chainId: '0x7a69',
  accessList: [],
  maxFeePerGas: '0x2540be400',
  maxPriorityFeePerGas: '0xf4240',
  v: '0x1',
  r: '0xbd8613e247220f78a91945b56caa36e9ed7452b52ec2439648f9a854f4ac519a',
  s: '0x1c1e8cd8883410198308e7bbf5be86e6c9c92da3d7ff69cab3e6cc74195d6c6a',
  yParity: '0x1',
  gasPrice: '0x2540be400',
} as const satisfies JsonRecord

const SIMULATED_HASH = '0x4dcb78d78874aec265235aaa83df780edb90a7d5ebd0a71457c8425673bcaf04'
const SIMULATED_TRANSACTION_HASH = '0xb50b7630b37fe535dbb49b37504309a5a34bfe36a98d4bed010a05f24513b7e9'

export const EXAMPLE_SIMULATED_BLOCK = {
  number: '0x3',
  hash: SIMULATED_HASH,
  parentHash: EXAMPLE_BLOCK_HASH,
  nonce: '0x0000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: LOGS_BLOOM,
  transactionsRoot: '0x2594dc42906af47ab212d8b6f556ea38a24cf876a066d6c8edea065a107988b9',
  stateRoot: '0x0000000000000000000000000000000000000000000000000000000000000000',
  receiptsRoot: '0x82d96b657faef9c16d0888446b5df38b09364fd0a444f0b086bb82e73bc3c0e9',
  miner: '0x4200000000000000000000000000000000000011',
  difficulty: '0x0',
  mixHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
  extraData: '0x01000000640000000500000000004c4b40',
  gasLimit: '0x17d78400',
  gasUsed: '0x5691',
  timestamp: '0x6955b906',
  baseFeePerGas: '0x0',
  withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: '0x0000000000000000000000000000000000000000000000000000000000000000',
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  size: '0x2c3',
  transactions: [SIMULATED_TRANSACTION_HASH],
  uncles: [],
  withdrawals: [],
  calls: [
    {
      status: '0x1',
      gasUsed: '0x5691',
      maxUsedGas: '0x5691',
      returnData: '0x',
      logs: [
        {
          ...EXAMPLE_LOG,
          blockNumber: '0x3',
          transactionHash: SIMULATED_TRANSACTION_HASH,
          blockHash: SIMULATED_HASH,
          blockTimestamp: '0x6955b906',
        },
      ],
    },
  ],
} as const satisfies JsonRecord

/** Trace of the transaction by `callTracer`. */
export const EXAMPLE_CALL_TRACE = {
  from: EXAMPLE_ACCOUNT,
  gas: '0x186a0',
  gasUsed: '0x5691',
  to: EXAMPLE_CONTRACT,
  input: EXAMPLE_CALL.input,
  value: '0x0',
  type: 'CALL',
} as const satisfies JsonRecord

/** The encoded transaction. */
export const EXAMPLE_INCLUDED_RAW =
  '0x02f88d827a6901830f42408502540be400830186a0945fbdb2315678afecb367f032d93f642f64180aa380a00000000000' +
  '00000000000000000000000000000000000000000000000000002ac001a0fbd1d8d530a17932c45273c51261d119955ae981' +
  'fd4408653dcd92cf8ca6821fa02cf699fd1d8145b5224db3f0340d133aaa6477ab50514fece725d63f19b19387'

/** The call as an unsigned transaction. */
export const EXAMPLE_FILLED = {
  raw:
    '0x02f84a827a6902830f424083a7d8c08257e0945fbdb2315678afecb367f032d93f642f64180aa380a00000000000000000' +
    '00000000000000000000000000000000000000000000002ac0808080',
  tx: {
    type: '0x2',
    hash: '0x332cd437330a2102371b98a86f05752d4ffcd6d3d632132c11bf49d440168809',
    from: EXAMPLE_ACCOUNT,
    to: EXAMPLE_CONTRACT,
    nonce: '0x2',
    gas: '0x57e0',
    value: '0x0',
    input: EXAMPLE_CALL.input,
    chainId: '0x7a69',
    accessList: [],
    maxFeePerGas: '0xa7d8c0',
    maxPriorityFeePerGas: '0xf4240',
    v: '0x0',
    r: '0x0',
    s: '0x0',
    yParity: '0x0',
    gasPrice: '0xa7d8c0',
  },
} as const satisfies JsonRecord
