import { parametersFrom } from '../model/json-parameters.ts'
import { createButton, createElement, entriesOfPage } from './elements.ts'
import { readingOf, type SentRequest, send } from './send.ts'

/** Characters of an answer that are shown at first. */
const MAX_SHOWN = 4_000

/** Adds a button to each entry that opens a form. Nothing is sent before the form is. */
export function addTryButtons(): void {
  for (const entry of entriesOfPage()) {
    const { rest, rpc } = entry.dataset
    if (rest === undefined && rpc === undefined) continue
    const button = createButton('Try it', 'try', () => {
      const form = rest === undefined ? methodForm(entry, rpc!) : routeForm(rest)
      button.replaceWith(form)
      form.querySelector<HTMLElement>('textarea, input')!.focus()
    })
    button.setAttribute('aria-label', `Try it: ${entry.querySelector('h3 > a')!.textContent}`)
    // Before the parts that readers open.
    const examples = [...entry.querySelectorAll('figure')]
    examples.at(-1)!.after(button)
  }
}

function routeForm(target: string): HTMLFormElement {
  const field = createElement('input', '')
  field.value = target
  field.spellcheck = false
  return formOf('Path and query', field, () => {
    const text = field.value.trim()
    if (text.startsWith('/') && !text.startsWith('//')) return { kind: 'rest', target: text }
    return 'Write a path that begins with one slash, as in /v1/tokenized-stocks.'
  })
}

function methodForm(entry: HTMLElement, params: string): HTMLFormElement {
  const field = createElement('textarea', '')
  field.rows = 2
  field.value = params
  field.spellcheck = false
  const form = formOf('Parameters, as a JSON array', field, () => {
    const parsed = parametersFrom(field.value)
    return parsed.kind === 'invalid' ? parsed.message : { kind: 'rpc', method: entry.id, params: parsed.list }
  })
  if (entry.querySelector('h3 .busy') !== null) {
    const warning = 'This changes the chain or the node that serves this page as soon as you send it.'
    form.prepend(createElement('p', 'notice problem', warning))
  }
  return form
}

/** @param request the request of the field's text, or what is wrong with it */
function formOf(
  label: string,
  field: HTMLInputElement | HTMLTextAreaElement,
  request: () => SentRequest | string,
): HTMLFormElement {
  const outcome = createElement('div', 'outcome')
  outcome.setAttribute('role', 'status')
  const button = createElement('button', 'primary', 'Send')
  const form = createElement(
    'form',
    'console-form',
    createElement('label', '', createElement('span', '', label), field),
    button,
    outcome,
  )
  let running: AbortController | undefined
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (running !== undefined) return running.abort()
    const made = request()
    field.setAttribute('aria-invalid', String(typeof made === 'string'))
    if (typeof made === 'string') return outcome.replaceChildren(createElement('p', 'notice problem', made))
    running = new AbortController()
    button.textContent = 'Stop'
    const shown = (text: string) => outcome.replaceChildren(createElement('pre', '', text.slice(0, MAX_SHOWN)))
    void send(made, { signal: running.signal, onPart: shown }).then((reply) => {
      running = undefined
      button.textContent = 'Send'
      outcome.replaceChildren(...replyParts(reply))
    })
  })
  return form
}

function replyParts(reply: Awaited<ReturnType<typeof send>>): readonly Node[] {
  const { isGood, status, milliseconds, advice, text } = readingOf(reply)
  const badge = createElement('span', `badge ${isGood ? 'good' : 'bad'}`, status)
  const head = createElement('p', '', badge, ` ${milliseconds} ms`)
  const answer = createElement('pre', '', text.slice(0, MAX_SHOWN))
  const parts: Node[] = [head]
  if (advice !== undefined) parts.push(createElement('p', 'notice problem', advice))
  if (text !== '') parts.push(answer)
  if (text.length > MAX_SHOWN) {
    const all = createButton(`Show all ${text.length.toLocaleString('en')} characters`, '', () => {
      answer.textContent = text
      all.remove()
    })
    parts.push(all)
  }
  return parts
}
