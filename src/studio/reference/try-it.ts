import { parametersFrom } from '../model/json-parameters.ts'
import { createButton, createElement, entriesOfPage } from './elements.ts'
import { isOwnPath, type ReplyText, readingOf, type SentRequest, send } from './send.ts'

/** Characters of an answer that are shown at first. */
const MAX_SHOWN = 4_000

/** Adds a button to each entry that opens a form. Nothing is sent until the form is submitted. */
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
    if (isOwnPath(text, location.origin)) return { kind: 'rest', target: text }
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
  // Screen readers announce the state only: a stream would be read out event by event.
  const state = createElement('div', '')
  state.setAttribute('role', 'status')
  const answer = createElement('div', '')
  const button = createElement('button', 'primary', 'Send')
  const form = createElement(
    'form',
    'console-form',
    createElement('label', '', createElement('span', '', label), field),
    button,
    createElement('div', 'outcome', state, answer),
  )
  let running: AbortController | undefined
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (running !== undefined) return running.abort()
    const made = request()
    field.setAttribute('aria-invalid', String(typeof made === 'string'))
    answer.replaceChildren()
    if (typeof made === 'string') return state.replaceChildren(createElement('p', 'notice problem', made))
    running = new AbortController()
    button.textContent = 'Stop'
    state.replaceChildren(createElement('p', '', 'Sending'))
    const newest = createElement('pre', '')
    const onPart = (text: string) => {
      newest.textContent = text.slice(-MAX_SHOWN)
      if (newest.isConnected) return
      state.replaceChildren(createElement('p', '', 'Receiving'))
      answer.append(newest)
    }
    void send(made, { signal: running.signal, onPart }).then((reply) => {
      running = undefined
      button.textContent = 'Send'
      const reading = readingOf(reply)
      state.replaceChildren(...stateParts(reading))
      answer.replaceChildren(...answerParts(reading.text, reply.kind === 'answer' && reply.isEventStream))
    })
  })
  return form
}

function stateParts({ isGood, status, milliseconds, advice }: ReplyText): readonly Node[] {
  const badge = createElement('span', `badge ${isGood ? 'good' : 'bad'}`, status)
  const head = createElement('p', '', badge, ` ${milliseconds} ms`)
  return advice === undefined ? [head] : [head, createElement('p', 'notice problem', advice)]
}

/** The beginning of an answer, or the newest text of a stream of events, with a button that shows the rest. */
function answerParts(text: string, isEventStream: boolean): readonly Node[] {
  if (text === '') return []
  const answer = createElement('pre', '', isEventStream ? text.slice(-MAX_SHOWN) : text.slice(0, MAX_SHOWN))
  if (text.length <= MAX_SHOWN) return [answer]
  const range = isEventStream ? 'the newest' : 'all'
  const all = createButton(`Show ${range} ${text.length.toLocaleString('en')} characters`, '', () => {
    answer.textContent = text
    all.remove()
  })
  return [answer, all]
}
