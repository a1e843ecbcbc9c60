const OPCODES = {
  STOP: '00',
  ADD: '01',
  LT: '10',
  SHL: '1b',
  ADDRESS: '30',
  BALANCE: '31',
  CODESIZE: '38',
  CODECOPY: '39',
  EXTCODESIZE: '3b',
  POP: '50',
  MSTORE: '52',
  MSTORE8: '53',
  SLOAD: '54',
  SSTORE: '55',
  JUMP: '56',
  JUMPI: '57',
  MSIZE: '59',
  GAS: '5a',
  TSTORE: '5d',
  DUP1: '80',
  DUP2: '81',
  DUP5: '84',
  LOG0: 'a0',
  LOG4: 'a4',
  CREATE: 'f0',
  CALL: 'f1',
  RETURN: 'f3',
  CREATE2: 'f5',
  STATICCALL: 'fa',
}

/**
 * Code in hex from words: opcodes, `0x…` to push, `:loop` where `@loop` jumps to.
 *
 * @example assemble(':loop GAS POP @loop JUMP') // '0x5b5a5061000056'
 */
export function assemble(text) {
  let code = ''
  const labels = new Map()
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (word.startsWith(':')) {
      labels.set(word.slice(1), code.length / 2)
      code += '5b'
    } else if (word.startsWith('@')) {
      code += `61${labels.get(word.slice(1)).toString(16).padStart(4, '0')}`
    } else if (word.startsWith('0x')) {
      const digits = word.length % 2 === 0 ? word.slice(2) : `0${word.slice(2)}`
      code += (0x5f + digits.length / 2).toString(16) + digits
    } else {
      code += OPCODES[word] ?? unknown(word)
    }
  }
  return `0x${code}`
}

function unknown(word) {
  throw new Error(`no opcode here is called ${word}`)
}
