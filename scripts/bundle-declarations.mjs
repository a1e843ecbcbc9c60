// Joins the declarations of the built modules into those of the library, in `dist/bundle`.
import { dirname, join } from 'node:path'
import { rollup } from 'rollup'
import { dts } from 'rollup-plugin-dts'
import { inputs, isExternal, LIBRARY } from './bundle.mjs'

const dist = join(dirname(import.meta.dirname), 'dist')

// One build for all entries: a class that two of them name must be declared once.
const build = await rollup({
  input: inputs(dist, LIBRARY, '.d.ts'),
  external: isExternal,
  plugins: [dts({ tsconfig: false })],
  onwarn({ message }) {
    throw new Error(message)
  },
})
await build.write({
  dir: join(dist, 'bundle'),
  format: 'esm',
  hashCharacters: 'hex',
  entryFileNames: '[name].d.ts',
  chunkFileNames: ({ name }) => `${name.replace(/\.d$/, '')}-[hash].d.ts`,
})
await build.close()
