// Position of each fork in the order of activation. TypeScript and AssemblyScript both compile this file, so that the
// EVM (`engine/evm/assembly`) and `forks.ts` use the same numbers: it holds `export const NAME: u32 = number` only.

export const FRONTIER: u32 = 0
export const HOMESTEAD: u32 = 1
export const TANGERINE_WHISTLE: u32 = 2
export const SPURIOUS_DRAGON: u32 = 3
export const BYZANTIUM: u32 = 4
export const CONSTANTINOPLE: u32 = 5
export const PETERSBURG: u32 = 6
export const ISTANBUL: u32 = 7
export const MUIR_GLACIER: u32 = 8
export const BERLIN: u32 = 9
export const LONDON: u32 = 10
export const ARROW_GLACIER: u32 = 11
export const GRAY_GLACIER: u32 = 12
export const PARIS: u32 = 13
export const SHANGHAI: u32 = 14
export const CANCUN: u32 = 15
export const PRAGUE: u32 = 16
export const OSAKA: u32 = 17
export const BPO1: u32 = 18
export const BPO2: u32 = 19
