import {
  type Abi,
  type AbiEvent,
  type AbiFunction,
  toEventSelector,
  toFunctionSelector,
  toFunctionSignature,
} from 'viem'
import { describe, expect, test } from 'vitest'
import stockFactory from '../../src/chain/predeploys/stock-factory.json' with { type: 'json' }
import stockProxy from '../../src/chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }

// Selectors and topics of the B20 asset standard, which clients depend on, written out by hand.

const FUNCTIONS: Readonly<Record<string, string>> = {
  'name()': '0x06fdde03',
  'symbol()': '0x95d89b41',
  'decimals()': '0x313ce567',
  'totalSupply()': '0x18160ddd',
  'balanceOf(address)': '0x70a08231',
  'allowance(address,address)': '0xdd62ed3e',
  'transfer(address,uint256)': '0xa9059cbb',
  'transferFrom(address,address,uint256)': '0x23b872dd',
  'approve(address,uint256)': '0x095ea7b3',
  'transferWithMemo(address,uint256,bytes32)': '0x95777d59',
  'transferFromWithMemo(address,address,uint256,bytes32)': '0x929c2539',
  'mint(address,uint256)': '0x40c10f19',
  'mintWithMemo(address,uint256,bytes32)': '0xe44f0b12',
  'burn(uint256)': '0x42966c68',
  'burnWithMemo(uint256,bytes32)': '0x38f23b0b',
  'burnBlocked(address,uint256)': '0xec0cf3dc',
  'seizeWithMemo(address,address,uint256,bytes32)': '0xf916d81b',
  'hasRole(bytes32,address)': '0x91d14854',
  'getRoleAdmin(bytes32)': '0x248a9ca3',
  'grantRole(bytes32,address)': '0x2f2ff15d',
  'revokeRole(bytes32,address)': '0xd547741f',
  'renounceRole(bytes32,address)': '0x36568abe',
  'renounceLastAdmin()': '0x6f79e3d7',
  'setRoleAdmin(bytes32,bytes32)': '0x1e4e0091',
  'pausedFeatures()': '0xde9997e3',
  'isPaused(uint8)': '0xbc61e733',
  'pause(uint8[])': '0xa290249c',
  'unpause(uint8[])': '0x8b93dd63',
  'policyId(bytes32)': '0xdb3de624',
  'updatePolicy(bytes32,uint64)': '0xadf9c4ea',
  'supplyCap()': '0x8f770ad0',
  'updateSupplyCap(uint256)': '0xe5a97f07',
  'DOMAIN_SEPARATOR()': '0x3644e515',
  'nonces(address)': '0x7ecebe00',
  'permit(address,address,uint256,uint256,uint8,bytes32,bytes32)': '0xd505accf',
  'eip712Domain()': '0x84b0196e',
  'contractURI()': '0xe8a3d485',
  'updateContractURI(string)': '0x7e5b1e24',
  'updateName(string)': '0x84da92a7',
  'updateSymbol(string)': '0x537f5312',
  'DEFAULT_ADMIN_ROLE()': '0xa217fddf',
  'MINT_ROLE()': '0xe9a9c850',
  'BURN_ROLE()': '0xb930908f',
  'BURN_BLOCKED_ROLE()': '0x32ad9be8',
  'SEIZE_ROLE()': '0x3c7e9ba5',
  'PAUSE_ROLE()': '0x389ed267',
  'UNPAUSE_ROLE()': '0x309756fb',
  'METADATA_ROLE()': '0x38841782',
  'TRANSFER_SENDER_POLICY()': '0xd116fc21',
  'TRANSFER_RECEIVER_POLICY()': '0x210f521b',
  'TRANSFER_EXECUTOR_POLICY()': '0x724e9c53',
  'MINT_RECEIVER_POLICY()': '0x6e5b013d',
  'SEIZE_EXEMPT_POLICY()': '0xfeb346ec',
  'SEIZE_RECEIVER_POLICY()': '0xb31da27f',
  'OPERATOR_ROLE()': '0xf5b541a6',
  'WAD_PRECISION()': '0x664808a8',
  'MAX_UI_MULTIPLIER()': '0x785c0cf0',
  'multiplier()': '0x1b3ed722',
  'toScaledBalance(uint256)': '0x04f04c99',
  'toRawBalance(uint256)': '0x0ca06c44',
  'scaledBalanceOf(address)': '0x1da24f3e',
  'updateUIMultiplier(uint256,uint256)': '0x628e600f',
  'cancelUIMultiplierUpdate()': '0x2c97a0f0',
  'updateMultiplier(uint256)': '0x5ffe6146',
  'batchMint(address[],uint256[])': '0x68573107',
  'extraMetadata(string)': '0x4ddf9da0',
  'updateExtraMetadata(string,string)': '0xb2851ef5',
  'announce(bytes[],string,string,string)': '0x595135dd',
  'isAnnouncementIdUsed(string)': '0xc0da474e',
  'uiMultiplier()': '0xa60bf13d',
  'newUIMultiplier()': '0xdc767007',
  'effectiveAt()': '0x97a4064f',
  'balanceOfUI(address)': '0x437a9958',
  'totalSupplyUI()': '0x9bea6429',
  'toUIAmount(uint256)': '0x3248d4ff',
  'fromUIAmount(uint256)': '0x65cd9b3c',
  'supportsInterface(bytes4)': '0x01ffc9a7',
}

const FACTORY_FUNCTIONS: Readonly<Record<string, string>> = {
  'createB20(uint8,bytes32,bytes,bytes[])': '0x62975e6a',
  'getB20Address(uint8,address,bytes32)': '0x8c30260f',
  'isB20(address)': '0xfa19b927',
  'isB20Initialized(address)': '0x6a45ba98',
}

/** Indexed parameters have an asterisk. */
const EVENTS: Readonly<Record<string, string>> = {
  'Transfer(address*,address*,uint256)': '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  'Approval(address*,address*,uint256)': '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  'Memo(address*,bytes32*)': '0x6989f5818dcfd11f8cd53b27c94cec33dae1589735f03e639cba54553a1825e8',
  'BurnedBlocked(address*,address*,uint256)': '0x0b552e96653fd6842da37c477005d3b5c08a8c7d3631b1f43787b2dc9a1006a3',
  'Seized(address*,address*,address*,uint256)': '0xa9aec5d8b86e2fa2fd6ac3af62f2622e3dfdab1967d4cbbb56a5df7d74cb887c',
  'RoleGranted(bytes32*,address*,address*)': '0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d',
  'RoleRevoked(bytes32*,address*,address*)': '0xf6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b',
  'RoleAdminChanged(bytes32*,bytes32*,bytes32*)': '0xbd79b86ffe0ab8e8776151514217cd7cacd52c909f66475c3af44e129f0b00ff',
  'LastAdminRenounced(address*)': '0xe8d3a9872e7ca325571ff1e4c51ddd69090a0345240cc605ccde365ec867cc67',
  'Paused(address*,uint8[])': '0x3e849708b13f20dd0b87a503523c305e7604cd7e8f855e7a5ebe21397dfd7146',
  'Unpaused(address*,uint8[])': '0x086a815e5123cf1af5cb7a82f8b052bf96c622204c98b2f4f9782bf77f753c57',
  'PolicyUpdated(bytes32*,uint64,uint64)': '0x8b4790f7ff717fc8f60f07ae099e47ef318dc04b37ae98056b50a22b79056626',
  'SupplyCapUpdated(address*,uint256,uint256)': '0x6d14f44808ce024f263432bc38d019a9951fbe674e9898b54844dbc8dc09c23a',
  'ContractURIUpdated()': '0xa5d4097edda6d87cb9329af83fb3712ef77eeb13738ffe43cc35a4ce305ad962',
  'NameUpdated(address*,string)': '0x74321da206c1b9fa34367f7ece59ca49371dcd13820b9a5c3767ae1ecceed51a',
  'SymbolUpdated(address*,string)': '0x64e8b5c6dcea43dd79766bb3b8af7c45968d12b68c960cf2da23856f34d598d4',
  'EIP712DomainChanged()': '0x0a6387c9ea3628b88a633bb4f3b151770f70085117a15f9bf3787cda53f13d31',
  'UIMultiplierUpdated(uint256,uint256,uint256)': '0x2205df4534432b2f60654a3fdb48737ffdaf3e9edb1a498bd985bc026b15b055',
  'MultiplierUpdated(uint256)': '0x4dbe4840d7465bd162f67814cea0b519567a2e0e578bcde61e7f4ced361e5a3d',
  'UIMultiplierUpdateCancelled(uint256,uint256)': '0x883856335ba5f60c18b9817c4505d3c7d3f6223dcf39516b30c508c46a5e1cad',
  'ExtraMetadataUpdated(string,string)': '0xd7bb345be29e78d635203d40fe0567e7ef19d5cd5cc5fcd25f768b8063e82aa1',
  'Announcement(address*,string,string,string)': '0xccebf8218a62875909564adef86a6f4df81503cb617221e793357d62f8e813f7',
  'EndAnnouncement(string)': '0x96d64dafe2c790596430196b982ad1da3221cb3b0f4e6e2df77f2e4f71a90037',
}

const FACTORY_EVENTS: Readonly<Record<string, string>> = {
  'B20Created(address*,uint8*,string,string,uint8,bytes)':
    '0xfd9bf2730513a1709722ff379a0844dfd8f997d600693c2bcc659e188bbdba0d',
}

const ERRORS: Readonly<Record<string, string>> = {
  'AccessControlUnauthorizedAccount(address,bytes32)': '0xe2517d3f',
  'ContractPaused(uint8)': '0xfd8c4245',
  'InsufficientAllowance(address,uint256,uint256)': '0x192b9e4e',
  'InsufficientBalance(address,uint256,uint256)': '0xdb42144d',
  'InvalidSender(address)': '0x4c14f64c',
  'InvalidReceiver(address)': '0x9cfea583',
  'InvalidApprover(address)': '0x8bc146c4',
  'InvalidSpender(address)': '0x4e15efda',
  'EmptyFeatureSet()': '0x4861ff45',
  'InvalidSupplyCap(uint256,uint256)': '0x0a3780ce',
  'SupplyCapExceeded(uint256,uint256)': '0x4b344b11',
  'PolicyForbids(bytes32,uint64)': '0xa43fec12',
  'PolicyNotFound(uint64)': '0xcccad523',
  'UnsupportedPolicyType(bytes32)': '0xcdd98a4a',
  'AccountNotBlocked(address)': '0x64a5cb46',
  'AccountNotSeizable(address)': '0x91dbbc8d',
  'ExpiredSignature(uint256)': '0xbd2a913c',
  'InvalidSigner(address,address)': '0x7ba5ffb5',
  'LastAdminCannotRenounce()': '0x361513e7',
  'NotSoleAdmin()': '0x2a98e73b',
  'AccessControlBadConfirmation()': '0x6697b232',
  'AnnouncementIdAlreadyUsed(string)': '0xd10b3c9e',
  'InvalidMetadataKey()': '0x86ea3abb',
  'InvalidMultiplier()': '0x6f12f3dc',
  'EffectiveAtInPast(uint256)': '0x14119cf6',
  'EffectiveAtTooFar(uint256)': '0x1ce214fa',
  'UIMultiplierUpdateExists(uint256)': '0x4481a68e',
  'UIMultiplierUpdateDoesNotExist()': '0xa7d6a5ca',
  'LengthMismatch(uint256,uint256)': '0xab8b67c6',
  'EmptyBatch()': '0xc2e5347d',
  'AnnouncementInProgress()': '0x5c5f0829',
  'InternalCallMalformed(bytes)': '0x4e2f143e',
  'InternalCallFailed(bytes)': '0xb288a127',
  // Declared in the token; the standard lists it among the factory's errors.
  'InitCallFailed(uint256)': '0x4eae0860',
}

const FACTORY_ERRORS: Readonly<Record<string, string>> = {
  'TokenAlreadyExists(address)': '0x15ef3a57',
  'InvalidVariant()': '0xf10e8e43',
  'UnsupportedVersion(uint8,uint8)': '0xc0d8b4e0',
  'InvalidDecimals(uint8)': '0xca950391',
  'NonPayable()': '0x6fb1b0e9',
}

/** Additions to the standard. */
const OWN_FUNCTIONS = ['initialize(string,string,uint8,address,bytes[])']
const OWN_ERRORS = ['AlreadyInitialized()']
const OWN_FACTORY_FUNCTIONS = ['implementation()', 'stockCount()', 'stocksFrom(uint256,uint256)']

function ofType(abi: unknown, type: string): Abi {
  return (abi as Abi).filter((item) => item.type === type)
}

function functionsOf(abi: unknown): Record<string, string> {
  const functions = ofType(abi, 'function') as AbiFunction[]
  return Object.fromEntries(functions.map((item) => [toFunctionSignature(item), toFunctionSelector(item)]))
}

function eventsOf(abi: unknown): Record<string, string> {
  const events = ofType(abi, 'event') as AbiEvent[]
  return Object.fromEntries(
    events.map((item) => {
      const types = item.inputs.map(({ type, indexed }) => `${type}${indexed ? '*' : ''}`)
      return [`${item.name}(${types})`, toEventSelector(item)]
    }),
  )
}

function errorsOf(abi: unknown): Record<string, string> {
  const errors = ofType(abi, 'error') as Extract<Abi[number], { type: 'error' }>[]
  return Object.fromEntries(
    errors.map(({ name, inputs }) => {
      const signature = `${name}(${inputs.map(({ type }) => type)})`
      return [signature, toFunctionSelector(signature)]
    }),
  )
}

function without(items: Record<string, string>, own: readonly string[]): Record<string, string> {
  expect(Object.keys(items)).toEqual(expect.arrayContaining([...own]))
  return Object.fromEntries(Object.entries(items).filter(([signature]) => !own.includes(signature)))
}

describe('the token', () => {
  test('has the functions of the standard, and one of its own', () => {
    expect(without(functionsOf(stockToken.abi), OWN_FUNCTIONS)).toEqual(FUNCTIONS)
  })

  test('has the events of the standard', () => {
    expect(eventsOf(stockToken.abi)).toEqual(EVENTS)
  })

  test('has the errors of the standard, and one of its own', () => {
    expect(without(errorsOf(stockToken.abi), OWN_ERRORS)).toEqual(ERRORS)
  })

  test('refuses ether with the error of the standard', () => {
    expect(errorsOf(stockProxy.abi)).toEqual({ 'NonPayable()': '0x6fb1b0e9' })
  })
})

describe('the factory', () => {
  test('has the functions of the standard, and a list', () => {
    expect(without(functionsOf(stockFactory.abi), OWN_FACTORY_FUNCTIONS)).toEqual(FACTORY_FUNCTIONS)
  })

  test('has the event of the standard', () => {
    expect(eventsOf(stockFactory.abi)).toEqual(FACTORY_EVENTS)
  })

  test('has the errors of the standard that it can cause', () => {
    expect(errorsOf(stockFactory.abi)).toEqual(FACTORY_ERRORS)
  })
})

test('no contract exceeds the size limit of EIP-170', () => {
  for (const { deployedBytecode } of [stockToken, stockFactory, stockProxy]) {
    expect((deployedBytecode.length - 2) / 2).toBeLessThanOrEqual(24_576)
  }
})
