import { parseAst } from 'rolldown/parseAst'

/** Operators and those in place of them. */
const SWAPS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '++': ['--'],
  '--': ['++'],
}
/** Methods and those in place of them. */
const METHODS = { some: 'every', every: 'some', min: 'max', max: 'min', at: 'indexOf', filter: 'slice' }

/** Changes of a source: start, end and the text in place of it. */
export function mutantsOf(source) {
  const found = []
  const add = (node, text) => found.push({ start: node.start, end: node.end, text })
  const operator = ({ operator, start, end, left, right, argument, prefix }, node) => {
    const [from, to] = left ? [left.end, right.start] : prefix ? [start, argument.start] : [argument.end, end]
    const at = source.indexOf(operator, from)
    for (const swap of SWAPS[operator] ?? []) if (at < to) add({ ...node, start: at, end: at + operator.length }, swap)
  }
  const visit = (node, parent) => {
    if (node === null || typeof node !== 'object') return
    if (Array.isArray(node)) for (const item of node) visit(item, parent)
    else if (typeof node.type !== 'string') return
    else if (/^TS(?!AsExpression|NonNull|Satisfies)|^Import|^ExportAll/.test(node.type)) return
    else {
      if (/^(Binary|Logical|Assignment|Update)Expression$/.test(node.type)) operator(node, node)
      if (node.type === 'UnaryExpression' && node.operator === '!')
        add(node, source.slice(node.argument.start, node.end))
      if (/^(If|While)Statement$|^ConditionalExpression$/.test(node.type)) {
        add(node.test, 'false')
        if (node.type !== 'WhileStatement') add(node.test, 'true')
      }
      if (node.type === 'Literal' && typeof node.value === 'boolean') add(node, `${!node.value}`)
      if (node.type === 'ArrayExpression' && node.elements.length > 0) add(node, '[]')
      const isBody = /Function|Method|^If|^For|^While/.test(parent?.type ?? '')
      if (node.type === 'BlockStatement' && node.body.length > 0 && isBody) add(node, '{}')
      if (node.type === 'CallExpression' && Object.hasOwn(METHODS, node.callee.property?.name ?? '')) {
        add(node.callee.property, METHODS[node.callee.property.name])
      }
      for (const [key, child] of Object.entries(node)) if (key !== 'typeAnnotation') visit(child, node)
    }
  }
  visit(parseAst(source, { lang: 'ts' }).body)
  return found
}
