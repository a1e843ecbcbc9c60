import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const { installPackages } = (await import(new URL('./support/npm-packages.mjs', import.meta.url).href)) as {
  installPackages(folder: string): void
}
const DASHBOARDS = fileURLToPath(new URL('../deploy/observability/grafana/dashboards/', import.meta.url))
const TOOLS = fileURLToPath(new URL('./grafana-tools', import.meta.url))
const COMPILER = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url))
const FLAGS = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']

/** Grafana's types have enumerations, for which JSON has their values. */
const TYPES = `import type { Dashboard, GraphFieldConfig } from '@grafana/schema'
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen'
import type { Options as TimeSeriesOptions } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen'
type Json<T> = T extends string
  ? \`\${T}\`
  : T extends number | boolean | null | undefined
    ? T
    : { [Name in keyof T]: Json<T[Name]> }
`
const OPTIONS: Readonly<Record<string, string>> = { stat: 'StatOptions', timeseries: 'TimeSeriesOptions' }

interface Panel {
  readonly type: string
  readonly options?: object
  readonly fieldConfig?: { readonly defaults: { readonly custom?: object } }
}

/** A program that compiles if the dashboard and the options of its panels have Grafana's types. */
function programOf(dashboard: { readonly panels: readonly Panel[] }): string {
  const panels = dashboard.panels
    .filter(({ type }) => type !== 'row')
    .flatMap(({ type, options, fieldConfig }, index) => [
      `export const options${index}: Json<Partial<${OPTIONS[type] ?? `unknown panel type ${type}`}>> = ${JSON.stringify(options)}`,
      `export const fields${index}: Json<GraphFieldConfig> = ${JSON.stringify(fieldConfig?.defaults.custom ?? {})}`,
    ])
  return [
    TYPES,
    `export const dashboard: Json<Dashboard> = ${JSON.stringify(dashboard, undefined, 1)}`,
    ...panels,
  ].join('\n')
}

function compile(program: string): string {
  if (!existsSync(join(TOOLS, 'node_modules'))) installPackages(TOOLS)
  const folder = mkdtempSync(join(tmpdir(), 'tickertape-dashboards-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'dashboard.ts'), program)
  return spawnSync(process.execPath, [COMPILER, ...FLAGS, 'dashboard.ts'], { cwd: folder, encoding: 'utf8' }).stdout
}

test.each(readdirSync(DASHBOARDS))("the dashboard %s has the types of Grafana's schema", (file) => {
  expect(compile(programOf(JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8'))))).toBe('')
})

test('the check of types finds an unknown member', () => {
  const dashboard = { panels: [], schemaVersion: 39, timeZone: 'browser' }

  expect(compile(programOf(dashboard))).toContain('timeZone')
})
