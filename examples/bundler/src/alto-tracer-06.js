// Alto 0.0.18 has a tracer for EntryPoint 0.6, but imports that of 0.7, which fails on every node with
// "cannot read property 'opcodes' of null". This module is preloaded with `--import`, and swaps them.
import { register } from 'node:module'

if (!import.meta.url.includes('?')) register(`${import.meta.url}?hooks`)

/** The hook that Node calls for each import. */
export function resolve(specifier, context, next) {
  return next(specifier.replace('BundlerCollectorTracerV07.js', 'BundlerCollectorTracerV06.js'), context)
}
