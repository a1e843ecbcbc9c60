// `npm run release` makes a release; docs/releasing.md has its steps.
//   -- --dry-run  does everything but change files, tag and publish
//   -- --add      adds a changeset
//   -- --rename @scope/name  changes the name of the package in every file of the checkout
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepare, root } from './prepare.mjs'
import { installTools, run } from './support/package-tools.mjs'

const OUTPUT = join(root, 'release/dist')

const { values } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, add: { type: 'boolean' }, rename: { type: 'string' } },
})
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

if (values.rename !== undefined) {
  rename(manifest.name, values.rename)
} else {
  const modules = installTools('release')
  if (values.add) run(process.execPath, [join(modules, '@changesets/cli/bin.js'), 'add'])
  else await release(modules, values['dry-run'] === true)
}

/** The name stands in package.json, and as text in examples and pages. */
function rename(from, to) {
  const files = git('grep', '--files-with-matches', '--fixed-strings', from).trim().split('\n')
  for (const file of files.map((path) => join(root, path))) {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to))
  }
  console.log(`${files.length} files name ${to}. Run npm run docs and npm test -- test/library`)
}

async function release(modules, isDryRun) {
  const version = await nextVersion(modules)
  if (!isDryRun && git('status', '--porcelain') !== '') fail('the checkout has uncommitted changes: commit them first')
  if (version !== manifest.version) {
    console.log(`changesets: ${manifest.version} becomes ${version}`)
    if (!isDryRun) return raiseVersion(modules, version)
  }
  prepare()
  const tarball = pack()
  check(modules, tarball)
  writeBillOfMaterials(version)
  publish(tarball, isDryRun)
}

/** The version that the changesets ask for; the present one if there are none. */
async function nextVersion(modules) {
  const load = createRequire(join(modules, 'package.json'))
  const { default: getReleasePlan } = load('@changesets/get-release-plan')
  const { releases } = await getReleasePlan(root)
  return releases.find(({ name }) => name === manifest.name)?.newVersion ?? manifest.version
}

/** Changes files only: the release goes on from the commit that contains them. */
function raiseVersion(modules, version) {
  run(process.execPath, [join(modules, '@changesets/cli/bin.js'), 'version'])
  run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'])
  console.log(`Move the lines of [Unreleased] in CHANGELOG.md to [${version}], commit, and run npm run release again`)
}

function pack() {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT, { recursive: true })
  const [packed] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', OUTPUT], { cwd: root }))
  console.log(`packed ${packed.filename}: ${packed.entryCount} files, ${packed.size} bytes`)
  return join(OUTPUT, packed.filename)
}

/** The package as its users' tools see it: exports, files, and declarations under each way of resolving modules. */
function check(modules, tarball) {
  run(process.execPath, [join(modules, 'publint/src/cli.js'), 'run', tarball, '--strict'])
  const attw = join(modules, '@arethetypeswrong/cli/dist/index.js')
  run(process.execPath, [attw, tarball, '--profile', 'esm-only', '--no-emoji'])
}

/** From a copy without packages for development: `npm sbom --omit dev` also omits packages that both kinds need. */
function writeBillOfMaterials(version) {
  const { devDependencies, peerDependencies, peerDependenciesMeta, ...installed } = manifest
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const runtime = Object.entries(lock.packages).filter(([path, { dev, peer }]) => path !== '' && !dev && !peer)
  const copy = mkdtempSync(join(tmpdir(), 'tickertape-sbom-'))
  writeFileSync(join(copy, 'package.json'), JSON.stringify(installed))
  const packages = { '': installed, ...Object.fromEntries(runtime) }
  writeFileSync(join(copy, 'package-lock.json'), JSON.stringify({ ...lock, packages }))
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application']
  const bill = JSON.parse(execFileSync('npm', args, { cwd: copy, encoding: 'utf8', maxBuffer: 2 ** 26 }))
  rmSync(copy, { recursive: true })
  // npm takes the name of the folder.
  bill.metadata.component.name = manifest.name
  const file = join(OUTPUT, `sbom-${version}.cdx.json`)
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`)
  console.log(`bill of materials: ${bill.components.length} components in ${file}`)
}

/** Provenance is signed by the identity of the workflow: without one, npm cannot publish with it. */
function publish(tarball, isDryRun) {
  const canProve = process.env.ACTIONS_ID_TOKEN_REQUEST_URL !== undefined
  if (isDryRun) {
    run('npm', ['publish', tarball, '--dry-run', '--access', 'public'])
    const provenance = canProve ? 'with provenance' : 'with provenance in .github/workflows/release.yml only'
    return console.log(`dry run: nothing was published. A release is published ${provenance}`)
  }
  if (!canProve) fail('publishing needs provenance: push the tag, and .github/workflows/release.yml publishes')
  run('npm', ['publish', tarball, '--access', 'public', '--provenance'])
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
