// Carries out a Dockerfile without a container engine: each stage is a directory, its image is the present system.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'

/**
 * @param {{ text: string, context: string, folder: string, uid?: number }} options `uid`: runs the commands of the user
 *   that the file names
 * @returns the last stage: environment, user, command and health check, with paths in its directory
 */
export function buildInDirectories({ text, context, folder, uid }) {
  const stages = new Map()
  let stage
  for (const [name, rest] of instructionsOf(text)) {
    if (name === 'FROM') {
      const [, alias = `${stages.size}`] = / AS (\S+)/i.exec(rest) ?? []
      stage = new Stage({ directory: join(folder, alias), context, stages, uid })
      stages.set(alias, stage)
    } else stage.apply(name, rest)
  }
  spawnSync('chmod', ['-R', 'a+rX', folder])
  return { ...stage.image, stages: stages.size }
}

/** Instructions with their arguments; continued lines are joined. */
function instructionsOf(text) {
  const lines = text.replaceAll(/\\\n\s*/g, ' ').split('\n')
  return lines.filter((line) => /^[A-Z]+ /.test(line)).map((line) => line.split(/ +(.*)/s))
}

class Stage {
  image = { env: {}, user: undefined, workdir: '/', command: [], healthcheck: [] }
  #entrypoint = []
  #options

  constructor(options) {
    this.#options = options
    mkdirSync(options.directory, { recursive: true })
  }

  apply(name, rest) {
    const { image } = this
    switch (name) {
      case 'WORKDIR':
        image.workdir = this.path(rest)
        mkdirSync(image.workdir, { recursive: true })
        break
      case 'COPY':
        this.#copy(rest.split(' '))
        break
      case 'RUN':
        this.#run(rest)
        break
      case 'USER':
        image.user = rest
        break
      case 'ENV':
        for (const pair of rest.split(' ')) {
          const [key, value] = pair.split(/=(.*)/s)
          image.env[key] = value.startsWith('/') ? this.path(value) : value
        }
        break
      case 'HEALTHCHECK':
        image.healthcheck = JSON.parse(/CMD (\[.*)/s.exec(rest)[1])
        break
      case 'ENTRYPOINT':
        this.#entrypoint = JSON.parse(rest).map((word) => (word.startsWith('/') ? this.path(word) : word))
        break
      case 'CMD':
        image.command = [...this.#entrypoint, ...JSON.parse(rest)]
        break
      case 'VOLUME':
      case 'EXPOSE':
        break
      default:
        throw new Error(`the instruction ${name} is not known here`)
    }
  }

  /** Where a path of the image is. */
  path(inImage) {
    return join(this.#options.directory, inImage)
  }

  #copy(words) {
    const { context, stages } = this.#options
    const [, from] = /^--from=(\S+)$/.exec(words[0]) ?? []
    const [sources, target] = [words.slice(from === undefined ? 0 : 1, -1), words.at(-1)]
    for (const source of sources) {
      const path = from === undefined ? join(context, source) : stages.get(from).path(source)
      const into = join(this.image.workdir, target)
      const isNamed = from !== undefined || source === '.'
      cpSync(path, isNamed ? into : join(into, basename(path)), {
        recursive: true,
        verbatimSymlinks: true,
        filter: from === undefined ? notIgnored(context) : undefined,
      })
    }
  }

  /** Commands that name a directory of the image, such as that of a volume, name the one in its place. */
  #run(command) {
    const { uid = process.getuid() } = this.#options
    const placed = command
      .replaceAll(/(?<= )\/[\w/]+/g, (path) => this.path(path))
      .replaceAll(/\bchown \w+:\w+/g, `chown ${uid}:${uid}`)
    const env = { ...process.env, ...this.image.env }
    const { status, stderr } = spawnSync('sh', ['-c', placed], { cwd: this.image.workdir, env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`RUN ${command}: ${stderr}`)
  }
}

/** What .dockerignore leaves: names of the first level, and `node_modules` anywhere. */
function notIgnored(context) {
  const names = new Set(readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n'))
  return (path) => {
    const parts = relative(context, path).split(sep)
    return !names.has(parts[0]) && !(names.has('**/node_modules') && parts.includes('node_modules'))
  }
}
