import { useState } from 'preact/hooks'
import { useStore, useStudio } from '../client/studio.ts'
import { ConfirmButton } from '../widgets/confirm-button.tsx'
import { Problem } from '../widgets/layout.tsx'

/** Adds ABI files, by choosing them here or dropping them anywhere on the page, and lists those that are there. */
export function AbiDrop() {
  const { abis } = useStudio()
  const { sources } = useStore(abis.state)
  const [problem, setProblem] = useState<string>()
  const read = async (files: FileList | null) => setProblem(await addAbiFiles(abis, files))
  return (
    <div class="abi-drop">
      <label class="button">
        Add ABI files
        <input
          type="file"
          accept=".json,application/json"
          multiple
          class="visually-hidden"
          onChange={({ currentTarget }) => void read(currentTarget.files)}
        />
      </label>
      <span class="muted">or drop them anywhere on this page</span>
      {sources.map(({ name, abi }) => (
        <span key={name} class="chip">
          {name} <span class="muted">{abi.length}</span>
          <ConfirmButton
            label="Remove"
            question={`Remove ${name} from this browser?`}
            confirm="Remove it"
            onConfirm={() => abis.remove(name)}
          />
        </span>
      ))}
      <Problem text={problem} />
    </div>
  )
}

/** @returns what is wrong with the first file that has a problem */
export async function addAbiFiles(
  abis: { add(name: string, text: string): string | undefined },
  files: FileList | null,
): Promise<string | undefined> {
  const problems: string[] = []
  for (const file of files ?? []) {
    const problem = abis.add(file.name, await file.text())
    if (problem !== undefined) problems.push(problem)
  }
  return problems[0]
}
