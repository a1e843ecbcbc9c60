/** Functions of tokens that move an amount, by selector, with the position of the amount among their arguments. */
const AMOUNT_POSITIONS: Readonly<Record<string, number>> = {
  // transfer(address,uint256), mint(address,uint256), burn(uint256), each also with a memo
  '0xa9059cbb': 1,
  '0x95777d59': 1,
  '0x40c10f19': 1,
  '0xe44f0b12': 1,
  '0x42966c68': 0,
  '0x38f23b0b': 0,
  // transferFrom(address,address,uint256), also with a memo; approve(address,uint256)
  '0x23b872dd': 2,
  '0x929c2539': 2,
  '0x095ea7b3': 1,
  // seizeWithMemo(address,address,uint256,bytes32), burnBlocked(address,uint256)
  '0xf916d81b': 2,
  '0xec0cf3dc': 1,
}

const WORD = 64

/**
 * The amount that a call of a token moves or allows, in base units; `undefined` for other calls.
 *
 * @param input of the call, in hex
 */
export function tokenAmountIn(input: string): bigint | undefined {
  const position = AMOUNT_POSITIONS[input.slice(0, 10).toLowerCase()]
  if (position === undefined) return undefined
  const start = 10 + position * WORD
  const word = input.slice(start, start + WORD)
  return /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : undefined
}
