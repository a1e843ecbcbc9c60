import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InvalidJsonError, JsonWalker, type Visitor } from './json-walker.ts'

function walk(visit: Visitor, ...chunks: string[]): [string, unknown][] {
  const walker = new JsonWalker(visit)
  const found = [...chunks.flatMap((chunk) => walker.push(chunk)), ...walker.end()]
  return found.map(({ path, value }) => [path.join('.'), value])
}

const TEXT =
  '{"a": {"x": 1, "y": [true, "s,}"]}, "skip": {"deep": [1, {"b": "\\"}"}]}, "list": [{"n": 1}, {"n": -2e3}], "e": {}, "f": []}'

test('takes values whole, walks into others and passes over the rest', () => {
  const visit: Visitor = (path) => {
    if (path[0] === 'skip') return 'skip'
    return path[0] === 'a' || path.length === 3 ? 'take' : 'enter'
  }

  expect(walk(visit, TEXT)).toEqual([
    ['a', { x: 1, y: [true, 's,}'] }],
    ['list.0.n', 1],
    ['list.1.n', -2000],
  ])
})

test('finds the same values however the text is divided', () => {
  const visit: Visitor = (path) => (path.length < 2 && path[0] !== 'a' ? 'enter' : 'take')
  const whole = walk(visit, TEXT)

  expect(walk(visit, ...TEXT)).toEqual(whole)
  for (let at = 1; at < TEXT.length; at++) {
    expect(walk(visit, TEXT.slice(0, at), TEXT.slice(at))).toEqual(whole)
  }
})

test('a text may be a number or a word, which only the end of the text ends', () => {
  const take: Visitor = () => 'take'

  expect(walk(take, '12', '3')).toEqual([['', 123]])
  expect(walk(take, 'null')).toEqual([['', null]])
  expect(() => walk(take, '-')).toThrow(InvalidJsonError)
  expect(() => walk(take, '')).toThrow(InvalidJsonError)
})

test('takes every member of a random object as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, at) => {
      const text = JSON.stringify(object)
      const cut = at % (text.length + 1)

      const walker = new JsonWalker(() => 'take')
      const found = [...walker.push(text.slice(0, cut)), ...walker.push(text.slice(cut))]
      walker.end()

      expect(found.map(({ path, value }) => [path[0], value])).toEqual(Object.entries(JSON.parse(text)))
    }),
  )
})

test.each(['', '{', '{"a":1', '{"a" 1}', '{"a":1,}', '{,}', '[1,]', '{"a":tru}', '{"a":1}}', '{"a":}', '{1:2}'])(
  'rejects %j',
  (text) => {
    expect(() => walk(() => 'take', text)).toThrow(InvalidJsonError)
  },
)

test.each([
  ['a value', '"12345"'],
  ['a key', '{"12345":1}'],
  ['an object', '{"a":{"b":1}}'],
])('limits the characters of %s that is taken, in any number of chunks', (_, text) => {
  const walk = (limit: number) => {
    const walker = new JsonWalker(() => 'take', limit)
    return [...text].flatMap((character) => [...walker.push(character)])
  }

  expect(() => walk(6)).toThrow('a value has more than 6 characters')
  expect(() => walk(7)).not.toThrow()
})
