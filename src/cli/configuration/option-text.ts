import type { Option } from 'commander'

const SWITCH: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false }

/**
 * The value of an option from the text of a variable or of a file. A switch takes `true`, `1`, `false` or `0`; an
 * option with an optional value takes these as well.
 *
 * @param texts the items of a list; one text otherwise
 * @throws an error with a message for the operator
 */
export function optionValueOf(option: Option, texts: readonly string[]): unknown {
  const text = texts.join(',')
  if (option.negate) return !switchOf(text)
  if (option.isBoolean()) return switchOf(text)
  if (option.optional && SWITCH[text] !== undefined) return SWITCH[text] ? presetOf(option) : option.defaultValue
  if (option.variadic) return texts.flatMap((one) => one.split(','))
  if (option.parseArg === undefined) return text
  // A repeatable option adds to a list, and others ignore the previous value.
  return texts.length > 1 && Array.isArray(option.defaultValue)
    ? texts.reduce<unknown>((list, one) => option.parseArg!(one, list as string[]), [])
    : option.parseArg(text, [])
}

function switchOf(text: string): boolean {
  const value = SWITCH[text]
  if (value === undefined) throw new Error('true or false is required.')
  return value
}

function presetOf({ presetArg, parseArg }: Option): unknown {
  return typeof presetArg === 'string' && parseArg !== undefined ? parseArg(presetArg, undefined as never) : presetArg
}
