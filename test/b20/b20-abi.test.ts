import { type Abi, toEventSelector, toFunctionSelector } from 'viem'
import { formatAbiItem } from 'viem/utils'
import { describe, expect, test } from 'vitest'
import activationRegistry from '../../src/chain/b20/activation-registry.json' with { type: 'json' }
import b20Asset from '../../src/chain/b20/b20-asset.json' with { type: 'json' }
import b20Factory from '../../src/chain/b20/b20-factory.json' with { type: 'json' }
import b20Stablecoin from '../../src/chain/b20/b20-stablecoin.json' with { type: 'json' }
import policyRegistry from '../../src/chain/b20/policy-registry.json' with { type: 'json' }
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }

// Selectors and topics of Base's specifications, written out by hand. Those that the demonstration stocks share are in
// test/stocks/stock-abi.test.ts.

const POLICY_FUNCTIONS: Readonly<Record<string, string>> = {
  'createPolicy(address,uint8)': '0xca5d55f6',
  'createPolicyWithAccounts(address,uint8,address[])': '0xa2d3044f',
  'updateAllowlist(uint64,bool,address[])': '0x3388fb5b',
  'updateBlocklist(uint64,bool,address[])': '0x5c4e51b8',
  'stageUpdateAdmin(uint64,address)': '0x1d7ae695',
  'finalizeUpdateAdmin(uint64)': '0x33031a9c',
  'renounceAdmin(uint64)': '0xefdb7fa3',
  'isAuthorized(uint64,address)': '0x55a1179e',
  'policyExists(uint64)': '0x330f5637',
  'policyAdmin(uint64)': '0x09dd0a47',
  'pendingPolicyAdmin(uint64)': '0x017548b7',
  'createCompositePolicy(address,uint8,uint64[])': '0x6fdd1491',
  'updateComposite(uint64,uint64[])': '0xbfe142c0',
  'compositePolicyChildIds(uint64)': '0x7c40df74',
  'MIN_COMPOSITE_CHILD_POLICIES()': '0xb3ae29f7',
  'MAX_COMPOSITE_CHILD_POLICIES()': '0x54309870',
  'invertedPolicyId(uint64)': '0x6b468933',
}

const POLICY_EVENTS: Readonly<Record<string, string>> = {
  PolicyCreated: '0x718d87917f0c4cfd1263707ef0e77c656ed8d8bfaca06152bdb0b8094142ec27',
  PolicyAdminStaged: '0xdbf3b34a4c956c56ca05cd4b8f9293a4347ad61994445a4b89817d4a19561136',
  PolicyAdminUpdated: '0x98925cfb1bc09c5b43dd0dd56d3d95aa04fb3300927580cc588c3f5dd58c15e1',
  AllowlistUpdated: '0x18c46532f90187ba11e436e21da087b684801d7f0787f2043f26f079c91e9ef0',
  BlocklistUpdated: '0x2ff63c102b1b9fd7f5d39f83039c5d6aaf50a414a4f2def2704e41be2628f1e3',
  CompositePolicyUpdated: '0x4ff6adaab31b0df87aa7b8b7320c52b8b3b5eede3bf28a6baaaa8b8b7e1d6363',
}

const POLICY_ERRORS: Readonly<Record<string, string>> = {
  'IncompatiblePolicyType()': '0xf1011ef5',
  'PolicyNotFound()': '0x720caa4f',
  'ZeroAddress()': '0xd92e233d',
  'NoPendingAdmin()': '0xb4539afa',
  'Unauthorized()': '0x82b42900',
  'ChildPoliciesOutsideOfRange()': '0x697ec868',
  'InvalidChildPolicy(uint64)': '0x46508ef6',
  'BatchSizeTooLarge(uint256)': '0x083e2f67',
  'NonPayable()': '0x6fb1b0e9',
  'FeatureNotActivated(bytes32)': '0xb9b2a425',
}

const ACTIVATION_FUNCTIONS: Readonly<Record<string, string>> = {
  'isActivated(bytes32)': '0xba87af80',
  'checkActivated(bytes32)': '0xde5bfd9b',
  'admin()': '0xf851a440',
  'activate(bytes32)': '0x59db6e85',
  'deactivate(bytes32)': '0x22eee84c',
  'setAdmin(address)': '0x704b6c02',
}

const ACTIVATION_EVENTS: Readonly<Record<string, string>> = {
  FeatureActivated: '0x8c7a0ecdbb8d96e867e43ec1aef80027976ee493c18bef399fa799ed19752451',
  FeatureDeactivated: '0x15bf65a782c3258c63268ba9d7aed710cf9f9315d3687d9a4632ccdad7926c84',
  AdminChanged: '0x4eb572e99196bed0270fbd5b17a948e19c3f50a97838cb0d2a75a823ff8e6c50',
}

const ACTIVATION_ERRORS: Readonly<Record<string, string>> = {
  'Unauthorized(address)': '0x8e4a23d6',
  'AlreadyActivated(bytes32)': '0x866b0041',
  'FeatureNotActivated(bytes32)': '0xb9b2a425',
  'DelegateCallNotAllowed()': '0x0d89438e',
  'StaticCallNotAllowed()': '0xbeaba5b7',
  'AdminStorageNotEnabled()': '0xeccf5125',
  'ZeroAdminAddress()': '0x3ef39b81',
}

const FACTORY_FUNCTIONS: Readonly<Record<string, string>> = {
  'createB20(uint8,bytes32,bytes,bytes[])': '0x62975e6a',
  'getB20Address(uint8,address,bytes32)': '0x8c30260f',
  'isB20(address)': '0xfa19b927',
  'isB20Initialized(address)': '0x6a45ba98',
  // Not on Base.
  'stockCount()': toFunctionSelector('stockCount()'),
  'stocksFrom(uint256,uint256)': toFunctionSelector('stocksFrom(uint256,uint256)'),
}

const FACTORY_ERRORS: Readonly<Record<string, string>> = {
  'TokenAlreadyExists(address)': '0x15ef3a57',
  'InvalidVariant()': '0xf10e8e43',
  'UnsupportedVersion(uint8,uint8)': '0xc0d8b4e0',
  'MissingRequiredField(string)': '0x4a43ae87',
  'InvalidCurrency(string)': '0x997c1de8',
  'InvalidDecimals(uint8)': '0xca950391',
  'NonPayable()': '0x6fb1b0e9',
  'FeatureNotActivated(bytes32)': '0xb9b2a425',
}

describe.each([
  ['the policy registry', policyRegistry, POLICY_FUNCTIONS, POLICY_EVENTS, POLICY_ERRORS],
  ['the activation registry', activationRegistry, ACTIVATION_FUNCTIONS, ACTIVATION_EVENTS, ACTIVATION_ERRORS],
  [
    'the factory',
    b20Factory,
    FACTORY_FUNCTIONS,
    { B20Created: '0xfd9bf2730513a1709722ff379a0844dfd8f997d600693c2bcc659e188bbdba0d' },
    FACTORY_ERRORS,
  ],
])('%s', (_, { abi }, functions, events, errors) => {
  test("has the functions, events and errors of Base's specifications and no others", () => {
    expect(selectors(abi as Abi, 'function')).toEqual(functions)
    expect(topics(abi as Abi)).toEqual(events)
    expect(selectors(abi as Abi, 'error')).toEqual(errors)
  })
})

describe('the tokens', () => {
  const ASSET_ONLY = /multiplier|scaled|raw|ui|effectiveAt|announce|extra|batch|operator|wad|supportsInterface/i

  test('an asset has the functions and events of a demonstration stock', () => {
    expect(selectors(b20Asset.abi as Abi, 'function')).toEqual(selectors(stockToken.abi as Abi, 'function'))
    expect(topics(b20Asset.abi as Abi)).toEqual(topics(stockToken.abi as Abi))
  })

  test('a stablecoin has those that assets and stablecoins share, and its currency', () => {
    const asset = Object.entries(selectors(b20Asset.abi as Abi, 'function'))
    const shared = asset.filter(([signature]) => !ASSET_ONLY.test(signature.split('(')[0]!))
    const own = selectors(b20Stablecoin.abi as Abi, 'function')
    expect(own).toEqual({
      ...Object.fromEntries(shared.filter(([signature]) => !signature.startsWith('initialize'))),
      'currency()': '0xe5a6b10f',
      'initialize(string,string,string,address,bytes[])': expect.anything(),
    })
  })
})

function selectors(abi: Abi, type: 'function' | 'error'): Record<string, string> {
  const items = abi.filter((item) => item.type === type).map((item) => formatAbiItem(item))
  return Object.fromEntries(items.map((signature) => [signature, toFunctionSelector(signature)]))
}

function topics(abi: Abi): Record<string, string> {
  const items = abi.filter((item) => item.type === 'event')
  return Object.fromEntries(items.map((item) => [item.name, toEventSelector(item)]))
}
