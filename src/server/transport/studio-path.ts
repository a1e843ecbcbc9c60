/** Path of the studio. In a file of its own, because nodes without a port load no server. */
export const STUDIO_PATH = '/studio'
