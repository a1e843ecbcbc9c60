import { describe, expect, it } from 'vitest'

interface Lock {
  readonly packages: Record<string, object>
}

const script = new URL('../scripts/complete-lock.mjs', import.meta.url).href
const { completeLock, platformOf } = (await import(script)) as {
  completeLock(lock: Lock): string[]
  platformOf(name: string): object | undefined
}

describe('npm run lock', () => {
  it('reads operating system, processor and C library from the name of a package', () => {
    expect(platformOf('@biomejs/cli-linux-x64-musl')).toEqual({ os: ['linux'], cpu: ['x64'], libc: ['musl'] })
    expect(platformOf('lightningcss-linux-arm-gnueabihf')).toEqual({ os: ['linux'], cpu: ['arm'] })
    expect(platformOf('@rolldown/binding-wasm32-wasi')).toEqual({ cpu: ['wasm32'] })
    expect(platformOf('fsevents')).toBeUndefined()
  })

  it('adds the optional packages of other platforms that the lock file lacks, and nothing on a second run', () => {
    const packages: Record<string, object> = {
      'node_modules/tool': {
        version: '1.0.0',
        optionalDependencies: { 'tool-linux-x64': '1.0.0', 'tool-darwin-arm64': '1.0.0' },
      },
      'node_modules/tool-linux-x64': { version: '1.0.0', optional: true },
    }
    const lock = { packages }

    const added = [completeLock(lock), completeLock(lock)]

    expect(added).toEqual([['node_modules/tool-darwin-arm64'], []])
    expect(lock.packages['node_modules/tool-darwin-arm64']).toEqual({
      version: '1.0.0',
      os: ['darwin'],
      cpu: ['arm64'],
      optional: true,
    })
  })
})
