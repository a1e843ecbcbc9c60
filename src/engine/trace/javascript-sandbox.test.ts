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
