/** Hard forks, numbered as in `chain/forks.ts`; those that changed no rule of code have no name here. */
export const HOMESTEAD: u32 = 1
export const TANGERINE_WHISTLE: u32 = 2
export const SPURIOUS_DRAGON: u32 = 3
export const BYZANTIUM: u32 = 4
export const CONSTANTINOPLE: u32 = 5
export const PETERSBURG: u32 = 6
export const ISTANBUL: u32 = 7
export const BERLIN: u32 = 9
export const LONDON: u32 = 10
export const SHANGHAI: u32 = 14
export const CANCUN: u32 = 15
export const PRAGUE: u32 = 16
export const OSAKA: u32 = 17

/** The fork whose rules hold. */
export let fork: u32 = CANCUN

export function setFork(number: u32): void {
  fork = number
}
