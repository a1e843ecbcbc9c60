// The theme with fonts of the reader's system: nothing is loaded for text to appear.
import theme from 'vitepress/theme-without-fonts'

export default theme
