/**
 * Runs in the sandbox before the tracer: go-ethereum's functions for tracers (eth/tracers/js/goja.go) on top of `host`,
 * which takes and returns strings, numbers and undefined only. `bigInt` has the methods of BigInteger.js that
 * go-ethereum offers, on native big integers. Evaluates to a function that makes a tracer's hooks callable.
 */
export const PRELUDE = `(function (host, source, config) {
  'use strict'
  const stringify = JSON.stringify
  const Bytes = Uint8Array
  const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
  const BYTES = new Map(DIGITS.map((digits, byte) => [digits, byte]))
  const byteOf = BYTES.get.bind(BYTES)
  const bytesOf = (hex) => {
    const digits = hex.startsWith('0x') ? hex.slice(2) : hex
    const even = digits.length % 2 === 0 ? digits : '0' + digits
    const bytes = new Bytes(even.length / 2)
    for (let index = 0; index < bytes.length; index++) {
      const pair = even.slice(2 * index, 2 * index + 2)
      bytes[index] = byteOf(pair) ?? parseInt(pair, 16)
    }
    return bytes
  }
  const hexOf = (value, allowsText) => {
    if (allowsText && typeof value === 'string') return hexOf(bytesOf(value))
    if (!(value instanceof Bytes) && !Array.isArray(value)) throw new TypeError('invalid buffer type')
    let hex = '0x'
    for (let index = 0; index < value.length; index++) hex += DIGITS[value[index] & 255]
    return hex
  }
  const padded = (value, size) => {
    const digits = hexOf(value, true).slice(2)
    return '0x' + digits.padStart(2 * size, '0').slice(-2 * size)
  }
  const addressOf = (value) => padded(value, 20)

  const unwrap = (value, radix) => {
    if (value instanceof Integer) return value.value
    if (typeof value === 'string' && radix !== undefined && Number(radix) !== 10) return digitsOf(value, Number(radix))
    return BigInt(value === undefined ? 0 : value)
  }
  const digitsOf = (text, radix) => {
    const isNegative = text.startsWith('-')
    let value = 0n
    for (const digit of isNegative ? text.slice(1) : text) {
      const number = parseInt(digit, radix)
      if (Number.isNaN(number)) throw new Error('Invalid integer: ' + text)
      value = value * BigInt(radix) + BigInt(number)
    }
    return isNegative ? -value : value
  }
  class Integer {
    constructor(value) { this.value = value }
    toString(radix) { return this.value.toString(radix) }
    toJSON() { return this.value.toString() }
    valueOf() { return Number(this.value) }
    toJSNumber() { return Number(this.value) }
    compare(other) { const that = unwrap(other); return this.value < that ? -1 : this.value > that ? 1 : 0 }
    abs() { return bigInt(this.value < 0n ? -this.value : this.value) }
    negate() { return bigInt(-this.value) }
    not() { return bigInt(~this.value) }
    next() { return bigInt(this.value + 1n) }
    prev() { return bigInt(this.value - 1n) }
    square() { return bigInt(this.value * this.value) }
    isZero() { return this.value === 0n }
    isUnit() { return this.value === 1n || this.value === -1n }
    isOdd() { return this.value % 2n !== 0n }
    isEven() { return this.value % 2n === 0n }
    isNegative() { return this.value < 0n }
    isPositive() { return this.value >= 0n }
    divmod(other) { return { quotient: this.divide(other), remainder: this.mod(other) } }
    isDivisibleBy(other) { return this.value % unwrap(other) === 0n }
  }
  const BINARY = {
    add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b, divide: (a, b) => a / b,
    mod: (a, b) => a % b, pow: (a, b) => a ** b, and: (a, b) => a & b, or: (a, b) => a | b, xor: (a, b) => a ^ b,
    shiftLeft: (a, b) => a << b, shiftRight: (a, b) => a >> b,
  }
  const SYNONYMS = { plus: 'add', minus: 'subtract', times: 'multiply', over: 'divide', remainder: 'mod' }
  for (const name of Object.keys(BINARY)) {
    Integer.prototype[name] = function (other) { return bigInt(BINARY[name](this.value, unwrap(other))) }
  }
  for (const name of Object.keys(SYNONYMS)) Integer.prototype[name] = Integer.prototype[SYNONYMS[name]]
  const COMPARISONS = {
    equals: (order) => order === 0, notEquals: (order) => order !== 0, lesser: (order) => order < 0,
    greater: (order) => order > 0, lesserOrEquals: (order) => order <= 0, greaterOrEquals: (order) => order >= 0,
    eq: (order) => order === 0, neq: (order) => order !== 0, lt: (order) => order < 0, gt: (order) => order > 0,
    leq: (order) => order <= 0, geq: (order) => order >= 0,
  }
  for (const name of Object.keys(COMPARISONS)) {
    Integer.prototype[name] = function (other) { return COMPARISONS[name](this.compare(other)) }
  }
  Integer.prototype.compareTo = Integer.prototype.compare
  function bigInt(value, radix) { return new Integer(unwrap(value, radix)) }
  Object.assign(bigInt, {
    zero: bigInt(0n), one: bigInt(1n), minusOne: bigInt(-1n), isInstance: (value) => value instanceof Integer,
    max: (a, b) => bigInt(unwrap(a) > unwrap(b) ? a : b), min: (a, b) => bigInt(unwrap(a) < unwrap(b) ? a : b),
  })

  const read = (...query) => new Bytes(host(...query))
  const number = (...query) => bigInt(host(...query))
  Object.assign(globalThis, {
    bigInt,
    toHex: (value) => hexOf(value),
    toWord: (value) => bytesOf(padded(value, 32)),
    toAddress: (value) => bytesOf(addressOf(value)),
    toContract: (from, nonce) => read('contract', addressOf(from), String(nonce)),
    toContract2: (from, salt, code) => read('contract2', addressOf(from), padded(String(salt), 32), hexOf(code, true)),
    isPrecompiled: (address) => host('isPrecompiled', addressOf(address)) === 1,
    slice: (value, start, end) => {
      const size = hexOf(value).length / 2 - 1
      if (!(start >= 0 && start <= end && end <= size)) {
        throw new RangeError('Tracer accessed out of bound memory: available ' + size + ', offset ' + start + ', size ' + (end - start))
      }
      return Uint8Array.from(value).slice(start, end)
    },
  })
  // One text per step instead of a call of the host per value. The words are those on top of the stack.
  let step = []
  const ofStep = (position) => step.length === 0 ? undefined : Number(step[position])
  const OP = 0, PC = 1, GAS = 2, COST = 3, DEPTH = 4, REFUND = 5, STACK_SIZE = 6, MEMORY_SIZE = 7, NAME = 8, WORDS = 9
  const wordAt = (index) => index === 0 || index === 1 || index === 2 ? step[WORDS + index] : undefined
  const log = {
    op: {
      toNumber: () => ofStep(OP), toString: () => step[NAME],
      isPush: () => ofStep(OP) >= 0x5f && ofStep(OP) <= 0x7f,
    },
    stack: { peek: (index) => bigInt(wordAt(index) ?? host('peek', index)), length: () => ofStep(STACK_SIZE) },
    memory: {
      slice: (start, end) => read('memory', start, end),
      getUint: (offset) => number('memoryWord', offset),
      length: () => ofStep(MEMORY_SIZE),
    },
    contract: {
      getCaller: () => read('caller'), getAddress: () => read('address'), getValue: () => number('value'),
      getInput: () => read('input'),
    },
    getPC: () => ofStep(PC), getGas: () => ofStep(GAS), getCost: () => ofStep(COST), getDepth: () => ofStep(DEPTH),
    getRefund: () => ofStep(REFUND), getError: () => host('error'),
  }
  const db = {
    getBalance: (address) => number('balance', addressOf(address)),
    getNonce: (address) => host('nonce', addressOf(address)),
    getCode: (address) => read('code', addressOf(address)),
    getState: (address, slot) => read('storage', addressOf(address), padded(slot, 32)),
    exists: (address) => host('exists', addressOf(address)) === 1,
  }
  const frame = {
    getType: () => host('frameType'), getFrom: () => read('frameFrom'), getTo: () => read('frameTo'),
    getInput: () => read('frameInput'), getGas: () => host('frameGas'),
    getValue: () => { const value = host('frameValue'); return value === undefined ? undefined : bigInt(value) },
  }
  const frameResult = {
    getGasUsed: () => host('frameGasUsed'), getOutput: () => read('frameOutput'), getError: () => host('frameError'),
  }

  const tracer = (0, eval)('(' + source + '\\n)')
  const has = (name) => typeof tracer[name] === 'function'
  for (const name of ['result', 'fault']) {
    if (!has(name)) throw new TypeError('trace object must expose a function ' + name + '()')
  }
  if (has('enter') !== has('exit')) {
    throw new TypeError('trace object must expose either both or none of enter() and exit()')
  }
  if (has('setup')) tracer.setup(config)
  return {
    hooks: (has('step') ? 'step,' : '') + (has('enter') ? 'enter' : ''),
    step: (values) => { step = values.split(','); tracer.step(log, db) },
    fault: (values) => { step = values.split(','); tracer.fault(log, db) },
    enter: () => void tracer.enter(frame),
    exit: () => void tracer.exit(frameResult),
    result: (members) => {
      step = []
      const context = JSON.parse(members)
      for (const name of ['from', 'to', 'input', 'output', 'coinbase', 'blockHash', 'txHash']) {
        if (context[name] !== undefined) context[name] = bytesOf(context[name])
      }
      for (const name of ['value', 'gasPrice']) context[name] = bigInt(context[name])
      const text = stringify(tracer.result(context, db))
      return typeof text === 'string' ? text : 'null'
    },
  }
})`
