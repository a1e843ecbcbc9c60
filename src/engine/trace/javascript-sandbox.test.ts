import { expect, onTestFinished, test, vi } from 'vitest'
import { JavaScriptTracerError, loadQuickJs, Sandbox } from './javascript-sandbox.ts'

const SCRIPT =
  '(host, text) => ({ echo: (more) => text + host("value") + more, fail: () => { throw new Error(text) } })'

test('frees everything that a script held, also after errors of the script and of the host', async () => {
  // QuickJS reports values that are left over on the console.
  const report = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => report.mockRestore())
  const sandbox = new Sandbox(await loadQuickJs(), SCRIPT, ['a'], (name) => {
    if (isRefusing) throw new RangeError('out of bounds')
    return name
  })
  let isRefusing = false
  expect(sandbox.call('echo', ['b'])).toBe('avalueb')
  expect(() => sandbox.call('fail')).toThrow(JavaScriptTracerError)
  isRefusing = true
  expect(() => sandbox.call('echo', ['b'])).toThrow('out of bounds')
  sandbox.dispose()
  expect(report).not.toHaveBeenCalled()
})

test('frees bytes that the host passed when the script drops them', async () => {
  const quickJs = await loadQuickJs()
  const script = '(host) => ({ sum: () => String(new Uint8Array(host("bytes")).length) })'
  const sandbox = new Sandbox(quickJs, script, [], () => new Uint8Array(1_000_000))

  for (let call = 0; call < 200; call++) expect(sandbox.call('sum')).toBe('1000000')

  expect(quickJs.getWasmMemory().buffer.byteLength).toBeLessThan(64_000_000)
  sandbox.dispose()
})

test('ends a script whose memory exceeds 64 MiB', async () => {
  const quickJs = await loadQuickJs()
  const script = '(host) => { const kept = []; return { keep: () => { kept.push(new Uint8Array(host("bytes"))) } } }'
  const sandbox = new Sandbox(quickJs, script, [], () => new Uint8Array(1_000_000))

  const keepAll = () => {
    for (let call = 0; call < 100; call++) sandbox.call('keep')
  }

  expect(keepAll).toThrow(JavaScriptTracerError)
  expect(quickJs.getWasmMemory().buffer.byteLength).toBeLessThan(128 * 1024 * 1024)
  sandbox.dispose()
})
