import { expect, test, vi } from 'vitest'
import { ForeignOrigins } from './foreign-origins.ts'

test('names the flag with the origin of the page, and logs it once', () => {
  const warn = vi.fn()
  const origins = new ForeignOrigins({ warn })

  const [first, second] = [origins.refuse('http://localhost:3000'), origins.refuse('http://localhost:3000')]

  expect(first).toBe(
    'pages of http://localhost:3000 may not use this node: start it with --cors-origins http://localhost:3000',
  )
  expect(second).toBe(first)
  expect(warn.mock.calls).toEqual([[{ origin: 'http://localhost:3000' }, first]])
})

test('logs a bounded number of origins, and repeats nothing that no browser sends', () => {
  const warn = vi.fn()
  const origins = new ForeignOrigins({ warn })
  for (let page = 0; page < 100; page++) origins.refuse(`https://page-${page}.example`)

  for (const origin of ['null', 'https://a.example; rm -rf /', 'https://a.example\n', 'file://']) {
    expect(origins.refuse(origin)).toBe('the origin of this page is not in --cors-origins')
  }
  expect(warn).toHaveBeenCalledTimes(8)
})
