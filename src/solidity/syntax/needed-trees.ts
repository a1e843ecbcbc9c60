import { isSyntaxNode, nodesIn, prunedTree } from './syntax-tree.ts'

/**
 * The syntax trees of a source and of all that it imports, without members that a debugger does not read.
 *
 * @param sources output of the compiler by path
 */
export function neededTrees(
  sources: Readonly<Record<string, { readonly ast?: unknown }>>,
  path: string,
): Readonly<Record<string, unknown>> {
  const trees = new Map<string, unknown>()
  const add = (wanted: string): void => {
    const tree = sources[wanted]?.ast
    if (trees.has(wanted) || !isSyntaxNode(tree)) return
    trees.set(wanted, prunedTree(tree))
    for (const { nodeType, absolutePath } of nodesIn(tree.nodes)) {
      if (nodeType === 'ImportDirective') add(String(absolutePath))
    }
  }
  add(path)
  return Object.fromEntries(trees)
}
